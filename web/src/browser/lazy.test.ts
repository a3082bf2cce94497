import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lazy, Missing } from './lazy';

const reload = vi.fn();
let kept: Record<string, string>;
const page = (script: string): Response => new Response(`<script type="module" src="/assets/index-${script}.js"></script>`);
const missing = (): Promise<never> => Promise.reject(new TypeError('404'));

beforeEach(() => {
  kept = {};
  reload.mockReset();
  vi.stubGlobal('location', { reload, pathname: '/ladder' });
  vi.stubGlobal('document', { querySelector: () => ({ src: 'http://table.test/assets/index-old.js' }) });
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept[name] ?? null,
    setItem: (name: string, text: string) => (kept[name] = text),
  });
});
afterEach(() => vi.unstubAllGlobals());

describe('a part of the page that does not come', () => {
  it('loads a newer page, once', async () => {
    vi.stubGlobal('fetch', async () => page('new'));
    void lazy(missing);
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
    await expect(lazy(missing)).rejects.toBeInstanceOf(Missing);
    expect(reload).toHaveBeenCalledOnce();
  });

  it('loads the same page again, once, if nothing else would be shown', async () => {
    vi.stubGlobal('fetch', async () => page('old'));
    await expect(lazy(missing)).rejects.toBeInstanceOf(Missing);
    expect(reload).not.toHaveBeenCalled();
    void lazy(missing, true);
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
    await expect(lazy(missing, true)).rejects.toBeInstanceOf(Missing);
    expect(reload).toHaveBeenCalledOnce();
    vi.stubGlobal('location', { reload, pathname: '/groups' });
    void lazy(missing, true);
    await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(2));
  });

  it('raises Missing at once where nothing can be stored', async () => {
    vi.stubGlobal('fetch', async () => page('new'));
    vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => undefined });
    await expect(lazy(missing)).rejects.toBeInstanceOf(Missing);
    expect(reload).not.toHaveBeenCalled();
  });

  it('is told otherwise where no server answers', async () => {
    vi.stubGlobal('fetch', missing);
    await expect(lazy(missing)).rejects.toBeInstanceOf(TypeError);
    expect(reload).not.toHaveBeenCalled();
  });
});
