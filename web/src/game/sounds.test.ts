import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeSocket, fakeBrowser, playing, WAITING } from './fake-socket';

fakeBrowser();
const { Table } = await import('./table.svelte');

describe('what is heard at a table', () => {
  const view = { ...WAITING, to_act: 2, table_seat: 1, bid: 2 };

  let pitches: { value: number }[] = [];
  const node = () => {
    const gain = { value: 0, setValueAtTime: () => 0, linearRampToValueAtTime: () => 0, exponentialRampToValueAtTime: () => 0 };
    return { frequency: { value: 0 }, gain, connect: (next: unknown) => next, start: () => 0, stop: () => 0 };
  };
  const pitched = () => {
    const made = node();
    pitches.push(made.frequency);
    return made;
  };

  beforeEach(() => {
    vi.stubGlobal('navigator', { userActivation: { hasBeenActive: true } });
    vi.stubGlobal(
      'AudioContext',
      class {
        currentTime = 0;
        sampleRate = 1000;
        createOscillator = pitched;
        createBiquadFilter = pitched;
        createGain = node;
        createBufferSource = node;
        createBuffer = () => ({ getChannelData: () => new Float32Array(70) });
      },
    );
  });

  /** The pitches of what a play sounds like. doublings: how often the stake is doubled after it; it was not before. */
  function heard(kind: string, doublings = 0, bombs = ['four-plus-one', 'quad', 'bomb', 'rocket']): number[] {
    const table = new Table('t1');
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(playing({ ...view, table: null, doublings: 0, events: [] }, { rules: { bombs } }));
    pitches = [];
    const events = [{ seq: 0, seat: 1, type: 'play', cards: ['3D'] }];
    const after = { ...view, table: { kind, cards: ['3D'] }, doublings };
    FakeSocket.last.say({ type: 'update', seq: 2, events, session: null, view: after, clocks: null });
    vi.advanceTimersByTime(500);
    const said = table.spoken.map((one) => one.text).join();
    expect(said.includes(`${2 ** (doublings + 1)}`)).toBe(doublings > 0);
    table.close();
    return pitches.map((pitch) => pitch.value);
  }

  /** A hand whose end reveals the kitty, so that the server sends the whole table again. */
  it('is the end of a hand after its last plays, also where it changes what was hidden', () => {
    const kitty = { seq: 0, seat: 1, type: 'kitty', cards: ['?'] };
    const plays = [1, 2].map((seq) => ({ seq, seat: seq, type: 'play', cards: ['3D'] }));
    const [state, clocks] = [{ ...view, table: null, doublings: 0 }, null];
    const over = { ...state, phase: 'over', to_act: null, result: { winners: [0], payments: [1, 0, -1] } };
    const whole = (seq: number, shown: object) => playing(shown, { seq, rules: { bombs: [] } });
    const end = whole(3, { ...over, events: [{ ...kitty, cards: ['4H'] }, ...plays] });
    let table = new Table('t1');
    let line = FakeSocket.last;
    const begin = () => {
      line.onopen?.();
      line.say(whole(1, { ...state, events: [kitty] }));
      pitches = [];
    };
    begin();
    line.say({ type: 'update', seq: 2, events: [plays[0]], view: state, clocks });
    line.say(end);
    line.say({ type: 'chat', seq: 4, lines: [{ seq: 4, seat: 0, name: '', text: 'well' }] });
    expect(table.view?.events.length).toBe(2);
    vi.advanceTimersByTime(500);
    expect(table.view?.events.map((event) => event.cards)).toEqual([['4H'], ['3D'], ['3D']]);
    expect(table.spoken.length).toBe(2);
    expect(table.game.chat.length).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(table.settled).toBe(false);
    vi.advanceTimersByTime(500);
    expect(table.settled).toBe(true);
    const [play, won] = [1500, [523, 659, 784, 1047]];
    expect(pitches.map((pitch) => pitch.value)).toEqual([play, play, ...won]);
    table.close();

    // A player who comes back sees the result at once, and hears nothing.
    table = new Table('t1');
    line = FakeSocket.last;
    begin();
    table.reconnect();
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(end);
    vi.advanceTimersByTime(0);
    expect(table.settled).toBe(true);
    expect(pitches).toEqual([]);
    table.close();
  });

  it('is a bomb, whatever it is called, and a rocket, alike with and without a doubled stake', () => {
    const [card, bomb, rocket] = [heard('single'), heard('bomb', 1), heard('rocket', 1)];
    expect(card).toHaveLength(1);
    expect(bomb.length).toBeGreaterThan(3);
    expect(rocket.length).toBeGreaterThan(3);
    expect(bomb).not.toEqual(rocket);
    expect(heard('quad', 1)).toEqual(bomb);
    expect(heard('four-plus-one')).toEqual(bomb);
    expect(heard('quad', 0, [])).toEqual(card);
  });
});
