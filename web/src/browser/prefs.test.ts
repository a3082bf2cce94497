import { describe, expect, it, vi } from 'vitest';

const kept = new Map<string, string>();
vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: kept.set.bind(kept) });
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }));
vi.stubGlobal('document', { documentElement: { dataset: {} }, querySelectorAll: () => [] });

async function opened() {
  vi.resetModules();
  return (await import('./prefs.svelte')).prefs;
}

describe('settings', () => {
  it('that one tab has changed are not undone by another that was open before', async () => {
    const [one, other] = [await opened(), await opened()];
    one.theme = 'dark';
    one.keep();
    other.felt = 'plum';
    other.keep();
    other.felt = 'green';
    other.keep();
    expect(await opened()).toMatchObject({ theme: 'dark', felt: 'green' });
  });
});
