import { describe, expect, it, vi } from 'vitest';
import { FakeSocket, fakeBrowser, people, playing, WAITING } from './fake-socket';

fakeBrowser();
const { Table } = await import('./table.svelte');

describe('the chat of a table', () => {
  const said = (seq: number, seat: number, name: string) => ({ seq, at: 0, seat, name, text: 'hello' });
  const say = (...lines: object[]) => FakeSocket.last.say({ type: 'chat', seq: 1, lines });
  const sit = (seq: number, you: number, ...names: string[]) => {
    FakeSocket.last.say({ type: 'table', seq, table: { you, seats: people(...names) }, session: null, clocks: null });
    vi.advanceTimersByTime(0);
  };

  it('counts nothing that a muted player says', () => {
    const table = new Table('t1');
    say(said(1, 1, 'Blaise'));
    table.muted = new Set(['Blaise']);
    say(said(2, 1, 'Blaise'));
    expect(table.unread).toBe(1);
    say(said(3, 2, 'Colin'));
    expect(table.unread).toBe(2);
    table.close();
  });

  it('is announced, with reactions, but neither the reader’s own nor those of a muted player', () => {
    const table = new Table('t1');
    sit(1, 0, 'Ada', 'Blaise', 'Colin');
    table.muted = new Set(['Colin']);
    say(said(1, 1, 'Blaise'), said(2, 2, 'Colin'), said(3, 0, 'Ada'));
    for (const seat of [0, 1, 2]) FakeSocket.last.say({ type: 'reaction', seat, reaction: 'hurry' });
    expect(table.spoken.map(({ text }) => text)).toEqual(['Blaise: hello', 'Blaise: Hurry up']);
    say(...Array.from({ length: 20 }, (_, i) => said(4 + i, 1, 'Blaise')));
    expect(table.spoken.length).toBe(5);
    table.close();
  });

  it('mutes a player who changes seats, and neither the next one in that seat nor a reader of the same name', () => {
    const table = new Table('t1');
    sit(1, 0, 'Blaise', 'Colin', 'Blaise');
    table.muted = new Set(['Blaise']);
    say(said(1, 2, 'Blaise'), said(2, 1, 'Colin'));
    expect(table.unread).toBe(1);
    const hidden = [said(1, 2, 'Blaise'), said(2, 1, 'Colin'), said(3, 0, 'Blaise')].map((line) => table.mutes(line));
    expect(hidden).toEqual([true, false, false]);
    sit(2, 2, 'Blaise', 'Colin', 'Ada');
    expect(table.mutes(said(1, 2, 'Blaise')), 'whose seat the reader has taken').toBe(true);
    table.close();
  });

  it('shows no reactions of a muted player', () => {
    const table = new Table('t1');
    sit(1, 0, 'Ada', 'Blaise', 'Colin');
    table.muted = new Set(['Blaise']);
    for (const seat of [1, 2]) FakeSocket.last.say({ type: 'reaction', seat, reaction: 'hurry' });
    expect(table.reactions).toEqual({ 2: 'hurry' });
    vi.advanceTimersByTime(5000);
    expect(table.reactions).toEqual({});
    table.close();
  });

  it('does not count lines again that the server sends again after a lost connection', () => {
    const table = new Table('t1');
    say(said(1, 1, 'Blaise'));
    table.unread = 0;
    FakeSocket.last.close();
    vi.advanceTimersByTime(1000);
    say(said(1, 1, 'Blaise'), said(2, 1, 'Blaise'));
    expect(FakeSocket.all.length).toBe(2);
    expect(table.unread).toBe(1);
    table.close();
  });

  it('counts what was said while the connection was lost, also where everything is sent again, but not what was said before', () => {
    const table = new Table('t1');
    const all = (...chat: object[]) => FakeSocket.last.say(playing({ ...WAITING, events: [] }, { chat }));
    all(said(1, 1, 'Blaise'));
    expect(table.unread).toBe(0);
    FakeSocket.last.close();
    vi.advanceTimersByTime(1000);
    all(said(1, 1, 'Blaise'), said(2, 1, 'Blaise'), said(3, 0, 'Ada'));
    expect(table.unread).toBe(1);
    expect(table.spoken.map(({ text }) => text)).toEqual(['Blaise: hello']);
    table.close();
  });

  it('returns a message, and a report, whose answer is lost with the connection', () => {
    const table = new Table('t1');
    const refused = vi.fn();
    table.say('hello', refused);
    table.report(7);
    FakeSocket.last.close();
    expect(refused).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(1000);
    FakeSocket.last.close();
    expect(refused).toHaveBeenCalledOnce();
    expect(table.reported.size).toBe(0);
    table.close();
  });

  it('says that nothing was sent without a connection', () => {
    const table = new Table('t1');
    FakeSocket.last.readyState = 3;
    for (const send of [() => table.say('hello', () => undefined), () => table.report(7), () => table.react('good')]) {
      table.dismiss();
      send();
      expect(table.problem).not.toBeNull();
    }
    expect(table.send({ type: 'contribute', text: 'mine' })).toBe(false);
    table.close();
  });

  it('waits for the answer to a report, and returns a refused message', () => {
    const table = new Table('t1');
    const line = FakeSocket.last;
    const id = () => (JSON.parse(line.sent.at(-1) ?? '{}') as { id: string }).id;
    const refuse = () => line.say({ type: 'error', id: id(), code: 'too-fast', clause: null, message: '', wording: null });
    table.report(7);
    refuse();
    expect(table.reported.size).toBe(0);
    expect(table.problem).not.toBeNull();
    table.report(7);
    expect(table.reported.size).toBe(0);
    line.say({ type: 'ack', id: id(), seq: 9 });
    expect([...table.reported]).toEqual([7]);
    const refused = vi.fn();
    table.say('hello', refused);
    line.say({ type: 'ack', id: id(), seq: 10 });
    expect(refused).not.toHaveBeenCalled();
    table.say('hello', refused);
    refuse();
    expect(refused).toHaveBeenCalledOnce();
    table.close();
  });
});
