/** For as long as the tab is open, or until it is forgotten. */
type Where = 'session' | 'local';

/** Browsers may refuse even the look at a storage. */
const storage = (where: Where): Storage => (where === 'session' ? sessionStorage : localStorage);

/** What the player chose, kept in the browser; where storage is closed the fallback holds. */
export function load<T>(name: string, fallback: T, where: Where = 'local'): T {
  try {
    const text = storage(where).getItem(`dasan.${name}`);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function save(name: string, value: unknown, where: Where = 'local'): void {
  try {
    storage(where).setItem(`dasan.${name}`, JSON.stringify(value));
  } catch {
    // Private windows may refuse; the choice then lasts as long as the page.
  }
}
