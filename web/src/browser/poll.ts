import { once } from './once';

/**
 * Call `work` every `every` milliseconds while the page is visible, and when it becomes visible, but not before the last
 * call has finished or has run for PATIENCE. Answers arrive in order, except one later than that. A refusal is ignored:
 * the next call may succeed. Returns a function that stops the calls.
 */
export function poll(every: number, work: () => Promise<unknown>): () => void {
  const again = once(async () => void (await work().catch(() => undefined)));
  const seen = (): void => {
    if (!document.hidden) void again();
  };
  const timer = setInterval(seen, every);
  document.addEventListener('visibilitychange', seen);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', seen);
  };
}
