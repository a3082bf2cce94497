/** Values for as long as the tab is open, or until removed. */
type Where = 'session' | 'local';

/** Browsers may refuse even access to the storage object. */
const storage = (where: Where): Storage => (where === 'session' ? sessionStorage : localStorage);

/** A stored choice of the player; the fallback if there is none or storage is unavailable. */
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
    // Private windows may refuse; then the choice lasts as long as the page.
  }
}
