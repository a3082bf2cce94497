/** Milliseconds after which a request has no answer: a computer that slept has connections which nobody closes. */
const PATIENCE = 30_000;

/**
 * Call `work` every `every` milliseconds while the page is visible, but not before its last call has finished, or PATIENCE is over:
 * answers arrive in order. A refusal is ignored: the next call may succeed. Returns how to stop.
 */
export function poll(every: number, work: () => Promise<unknown>): () => void {
  let since: number | null = null;
  const timer = setInterval(() => {
    if (document.hidden || (since !== null && Date.now() - since < PATIENCE)) return;
    const begun = Date.now();
    since = begun;
    void work()
      .catch(() => undefined)
      .finally(() => {
        if (since === begun) since = null;
      });
  }, every);
  return () => clearInterval(timer);
}
