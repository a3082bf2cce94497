/**
 * Call `work` every `every` milliseconds while the page is visible, but not before its last call has finished: answers arrive in
 * order. A refusal is ignored: the next call may succeed. Returns how to stop.
 */
export function poll(every: number, work: () => Promise<unknown>): () => void {
  let waiting = false;
  const timer = setInterval(() => {
    if (waiting || document.hidden) return;
    waiting = true;
    void work()
      .catch(() => undefined)
      .finally(() => (waiting = false));
  }, every);
  return () => clearInterval(timer);
}
