import { describe, expect, it } from 'vitest';
import { FakeSocket, fakeBrowser, people, playing, WAITING } from '../game/fake-socket';

fakeBrowser();
const { Table } = await import('../game/table.svelte');
const { status } = await import('./status');

describe('the status line of a seat in which a bot plays', () => {
  it.each([
    ['time', 'playing', 'A bot is playing for you'],
    ['left', 'playing', 'A bot is playing for you'],
    ['absent', 'playing', 'A bot plays this hand; you play again from the next one'],
    ['left', 'ended', ''],
  ])('says until when: %s, %s', (reason, tableStatus, line) => {
    const table = new Table('t1');
    const [mine, ...others] = people('', '', '');
    const seats = [{ ...mine, substitute: { bot: 'greedy', reason } }, ...others];
    const info = { id: 't1', you: 0, players: 3, status: tableStatus, seats, settings: {} };
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(playing({ ...WAITING, events: [] }, { table: info }));
    const { table: shown, view } = table.game;
    expect(shown && view && status(table, shown, view)).toBe(line);
    table.close();
  });
});
