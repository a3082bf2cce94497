/** Milliseconds after which a request counts as lost: after a computer sleeps, its connections may hang. */
export const PATIENCE = 30_000;

/**
 * A command that ignores calls while it runs, since a second press of its button would send it twice. After PATIENCE a call
 * runs even if the one before has not ended.
 */
export function once<Given extends unknown[]>(command: (...given: Given) => Promise<void>): (...given: Given) => Promise<void> {
  let since: number | null = null;
  return async (...given) => {
    if (since !== null && Date.now() - since < PATIENCE) return;
    const begun = Date.now();
    since = begun;
    try {
      await command(...given);
    } finally {
      if (since === begun) since = null;
    }
  };
}
