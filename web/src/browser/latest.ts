/**
 * Numbers requests whose answers may arrive in another order: call the result when a request begins, and what that returns
 * when it is answered, to know whether the request is still the latest.
 */
export function requests(): () => () => boolean {
  let last = 0;
  return () => {
    const request = ++last;
    return () => request === last;
  };
}

/** Awaits answers of the server, and gives each to `show` unless a later request has begun in the meantime. */
export function latestAnswer<T>(show: (answer: T) => void): (answer: Promise<T>) => Promise<void> {
  const begin = requests();
  return async (answer) => {
    const latest = begin();
    const now = await answer;
    if (latest()) show(now);
  };
}
