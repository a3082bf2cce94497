import { describe, expect, it } from 'vitest';

/** The rooms, each of which may import only itself and those before it. */
const ROOMS = [
  'browser',
  'cards',
  'i18n',
  'server',
  'game',
  'hand',
  'ui',
  'friends',
  'seats',
  'turn',
  'rules',
  'panel',
  'result',
  'table',
  'practice',
  'puzzles',
  'learn',
  'review',
  'bidding',
  'people',
  'notify',
  'events',
  'moderation',
  'start',
  'groups',
];
/** Generated types, drawings and texts, which import no code. */
const DATA = ['gen', 'lessons', 'styles'];

const sources = import.meta.glob<string>(['./*/**/*.ts', './*/**/*.svelte', '!./**/*.test.ts'], {
  eager: true,
  query: '?raw',
  import: 'default',
});

/** The room of a path that a file of `room` imports. */
const roomOf = (path: string, room: string): string => (path.startsWith('../') ? (path.split('/')[1] ?? '') : room);

describe('rooms', () => {
  it.each([...new Set(Object.keys(sources).map((path) => path.split('/')[1] ?? ''))])(
    '%s imports only rooms before it',
    (room) => {
      expect([...ROOMS, ...DATA]).toContain(room);
      const before = new Set([...ROOMS.slice(0, ROOMS.indexOf(room) + 1), ...DATA]);
      const files = Object.entries(sources).filter(([path]) => path.startsWith(`./${room}/`));
      const up = files.flatMap(([file, source]) =>
        [...source.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)]
          .filter(([, path]) => !before.has(roomOf(path ?? '', room)))
          .map(([, path]) => `${file} imports ${path}`),
      );
      expect(up).toEqual([]);
    },
  );

  it('are flat', () => {
    expect(Object.keys(sources).filter((path) => path.split('/').length > 3)).toEqual([]);
  });
});
