/** A command that ignores calls while it runs: a second press of its button would send it twice. */
export function once<Given extends unknown[]>(command: (...given: Given) => Promise<void>): (...given: Given) => Promise<void> {
  let running = false;
  return async (...given) => {
    if (running) return;
    running = true;
    try {
      await command(...given);
    } finally {
      running = false;
    }
  };
}
