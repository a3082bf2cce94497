import { load, save } from './storage';

/** The server answers, but a file of the page is not there. */
export class Missing extends Error {}

const SCRIPT = /\/assets\/index-[\w-]+\.js/;

/** The script that the server's page starts with now; null where no server answers. */
async function served(): Promise<string | null> {
  const answer = await fetch('/', { cache: 'no-store' }).catch(() => null);
  return answer?.ok ? (SCRIPT.exec(await answer.text())?.[0] ?? null) : null;
}

/**
 * A part of the page that is fetched when it is needed. Where the server has another version of the page, whose parts have
 * other names, the page is loaded anew, once for each version.
 */
export async function lazy<T>(part: () => Promise<T>): Promise<T> {
  try {
    return await part();
  } catch (error) {
    const now = await served();
    if (now === null) throw error;
    const running = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? '';
    if (running.endsWith(now) || load('reloaded', '', 'session') === now) throw new Missing(String(error));
    save('reloaded', now, 'session');
    location.reload();
    return new Promise(() => undefined);
  }
}
