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
 * Load a part of the page when it is needed. If that fails although the server answers, the server may have a newer page,
 * whose parts have other names: reload it, once per version. alone: the part is all that would be shown, so nothing is lost by
 * a reload: also if the server has the same page, since the connection may have returned in the meantime, once per address.
 */
export async function lazy<T>(part: () => Promise<T>, alone = false): Promise<T> {
  try {
    return await part();
  } catch (error) {
    const now = await served();
    if (now === null) throw error;
    const running = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? '';
    const newer = !running.endsWith(now);
    const what = newer ? now : now + location.pathname;
    if (load('reloaded', '', 'session') === what || !(newer || alone)) throw new Missing(String(error));
    save('reloaded', what, 'session');
    // Where nothing can be stored, the page would be reloaded without end.
    if (load('reloaded', '', 'session') !== what) throw new Missing(String(error));
    location.reload();
    return new Promise(() => undefined);
  }
}
