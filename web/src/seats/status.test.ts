import { describe, expect, it } from 'vitest';
import { FakeSocket, fakeBrowser, people, playing, WAITING } from '../game/fake-socket';

fakeBrowser();
const { Table } = await import('../game/table.svelte');
const { status } = await import('./status');

describe('the status line of a seat in which a bot plays', () => {
  it.each([
    ['time', 'A bot is playing for you'],
    ['left', 'A bot is playing for you'],
    ['absent', 'A bot plays this hand; you play again from the next one'],
  ])('says until when: %s', (reason, line) => {
    const table = new Table('t1');
    const [mine, ...others] = people('', '', '');
    const seats = [{ ...mine, substitute: { bot: 'greedy', reason } }, ...others];
    const info = { id: 't1', you: 0, players: 3, status: 'playing', seats, settings: {} };
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(playing({ ...WAITING, events: [] }, { table: info }));
    const { table: shown, view } = table.game;
    expect(shown && view && status(table, shown, view)).toBe(line);
    table.close();
  });
});
