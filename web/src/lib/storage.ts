/** What the player chose, kept in the browser; where storage is closed the fallback holds. */
export function load<T>(name: string, fallback: T, storage?: Storage): T {
  try {
    const text = (storage ?? localStorage).getItem(`dasan.${name}`);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function save(name: string, value: unknown, storage?: Storage): void {
  try {
    (storage ?? localStorage).setItem(`dasan.${name}`, JSON.stringify(value));
  } catch {
    // Private windows may refuse; the choice then lasts as long as the page.
  }
}
