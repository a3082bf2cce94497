import { describe, expect, it } from 'vitest';

const sources = import.meta.glob<string>('../**/*.svelte', { eager: true, query: '?raw', import: 'default' });

describe('forms', () => {
  const forms = Object.entries(sources).flatMap(([path, source]) =>
    [...source.matchAll(/<form[\s\S]*?<\/form>/g)].map(([form], i) => ({ name: `${path} ${i + 1}`, form })),
  );
  it('are found', () => expect(forms.length).toBeGreaterThan(5));
  it.each(forms)('$name has a button that sends it', ({ form }) => {
    expect(form).toContain('type="submit"');
  });
});
