/** Milliseconds after which a request counts as lost: after a computer sleeps, its connections may hang. */
export const PATIENCE = 30_000;

/**
 * Call `work` every `every` milliseconds while the page is visible, but not before the last call has finished or has run
 * for PATIENCE. Answers arrive in order, except one later than that. A refusal is ignored: the next call may succeed.
 * Returns a function that stops the calls.
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
