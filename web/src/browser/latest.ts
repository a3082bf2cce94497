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
