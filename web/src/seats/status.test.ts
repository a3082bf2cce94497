import { describe, expect, it } from 'vitest';
import { FakeSocket, fakeBrowser, people, playing, WAITING } from '../game/fake-socket';

fakeBrowser();
const { Table } = await import('../game/table.svelte');
const { status } = await import('./status');

describe('the status line of a player', () => {
  const info = { status: 'playing', seats: people('Ada', 'Blaise', 'Colin') };
  const [pass, nine] = [{ type: 'pass' }, { type: 'play', cards: ['9S'] }];
  const lead = { ...WAITING, to_act: 0, hand: ['3D', '9S'], table: null, guarding: null, must_include: null };
  const follow = { ...lead, table: { kind: 'single', cards: ['5D'] } };
  const mine = { mine: true, sitsOut: false, myTurn: true, plan: null };
  const waiting = { ...mine, myTurn: false };

  it.each([
    [mine, { ...follow, legal_moves: [pass] }, 'Nothing you hold beats this'],
    [mine, { ...follow, legal_moves: [pass, nine] }, 'Beat it or pass'],
    [mine, { ...follow, legal_moves: [nine] }, 'Beat it or pass'],
    [mine, { ...follow, legal_moves: [pass, nine], guarding: 1 }, 'Blaise has one card left: a single must be your highest'],
    [mine, { ...lead, legal_moves: [nine] }, 'You lead: any combination'],
    [mine, { ...lead, legal_moves: [nine], must_include: '3D' }, 'You lead: include the 3 of diamonds'],
    [mine, { ...lead, legal_moves: [nine], must_include: '9S', hand: ['9S'] }, 'You lead: any combination'],
    [mine, { ...lead, legal_moves: [pass], phase: 'auction' }, 'Your turn'],
    [waiting, { ...follow, to_act: 1 }, 'Waiting for Blaise'],
    [{ ...waiting, plan: 'pass' }, { ...follow, to_act: 1 }, 'You will pass'],
    [{ ...waiting, plan: 'play' }, { ...follow, to_act: 1 }, 'Your choice will be played if it is legal'],
  ])('says what there is to do: %#', (table, view, line) => {
    expect(status(table as never, info as never, view as never)).toBe(line);
  });
});

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
