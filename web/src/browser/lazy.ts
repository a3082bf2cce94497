import { load, save } from './storage';

/** The server answers, but a file of the page is missing. */
export class Missing extends Error {}

const SCRIPT = /\/assets\/index-[\w-]+\.js/;

/** The start script of the server's current page; null if no server answers. */
async function served(): Promise<string | null> {
  const answer = await fetch('/', { cache: 'no-store' }).catch(() => null);
  return answer?.ok ? (SCRIPT.exec(await answer.text())?.[0] ?? null) : null;
}

/**
 * Load a part of the page when it is needed. If the server has another version of the page, whose parts have other names,
 * reload the page, once per version. Else try again: the connection may have returned in the meantime.
 */
export async function lazy<T>(part: () => Promise<T>): Promise<T> {
  try {
    return await part();
  } catch (error) {
    const now = await served();
    if (now === null) throw error;
    const running = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? '';
    if (running.endsWith(now) || load('reloaded', '', 'session') === now) {
      return part().catch(() => {
        throw new Missing(String(error));
      });
    }
    save('reloaded', now, 'session');
    location.reload();
    return new Promise(() => undefined);
  }
}
