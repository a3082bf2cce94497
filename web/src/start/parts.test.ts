import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { part, Parts } from './parts.svelte';

/** A part whose requests are answered by hand, in any order. */
class Asked {
  readonly requests: { answer: (text: string) => void; fail: () => void }[] = [];
  shown: string[] = [];
  readonly part = part(
    () =>
      new Promise<string>((resolve, reject) => {
        this.requests.push({ answer: resolve, fail: () => reject(new Error()) });
      }),
    (text) => this.shown.push(text),
  );
}

const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

describe('the parts of a page', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('appear together', async () => {
    const [games, day, parts] = [new Asked(), new Asked(), new Parts()];
    void parts.read(games.part, day.part);
    games.requests[0]?.answer('games');
    await vi.advanceTimersByTimeAsync(2000);
    expect(games.shown).toEqual([]);
    day.requests[0]?.fail();
    await settled();
    expect(games.shown).toEqual(['games']);
    expect([...parts.missing.keys()]).toEqual([day.part]);
  });

  it('do not wait for a slow one for long', async () => {
    const [games, day, parts] = [new Asked(), new Asked(), new Parts()];
    let done = false;
    void parts.read(games.part, day.part).then(() => (done = true));
    games.requests[0]?.answer('games');
    await vi.advanceTimersByTimeAsync(2600);
    expect(games.shown).toEqual(['games']);
    expect(done).toBe(false);
    day.requests[0]?.answer('day');
    await settled();
    expect(day.shown).toEqual(['day']);
    expect(done).toBe(true);
    expect(parts.missing.size).toBe(0);
  });

  it('ignore what an earlier request brings', async () => {
    const [lobby, parts] = [new Asked(), new Parts()];
    void parts.read(lobby.part);
    void parts.read(lobby.part);
    lobby.requests[1]?.answer('new');
    await settled();
    lobby.requests[0]?.fail();
    await settled();
    expect(parts.missing.size).toBe(0);
    void parts.read(lobby.part);
    void parts.read(lobby.part);
    lobby.requests[3]?.answer('newer');
    await settled();
    lobby.requests[2]?.answer('late');
    await settled();
    expect(lobby.shown).toEqual(['new', 'newer']);
  });

  it('stay when a later request fails', async () => {
    const [lobby, parts] = [new Asked(), new Parts()];
    void parts.read(lobby.part);
    lobby.requests[0]?.answer('lobby');
    await settled();
    void parts.read(lobby.part);
    lobby.requests[1]?.fail();
    await settled();
    expect(parts.missing.size).toBe(0);
  });

  it('that were missing appear together again', async () => {
    vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
    const [lobby, bots, parts] = [new Asked(), new Asked(), new Parts()];
    void parts.read(lobby.part, bots.part);
    for (const one of [lobby, bots]) one.requests[0]?.fail();
    const stop = parts.poll(8000, lobby.part, bots.part);
    await vi.advanceTimersByTimeAsync(8000);
    lobby.requests[1]?.answer('lobby');
    await vi.advanceTimersByTimeAsync(1000);
    expect(lobby.shown).toEqual([]);
    bots.requests[1]?.answer('bots');
    await settled();
    expect([lobby.shown, bots.shown]).toEqual([['lobby'], ['bots']]);
    stop();
  });

  it('that are asked for already are not asked for again until their answer is lost', async () => {
    vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
    const [lobby, parts] = [new Asked(), new Parts()];
    void parts.read(lobby.part);
    const stop = parts.poll(8000, lobby.part);
    await vi.advanceTimersByTimeAsync(24_000);
    expect(lobby.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(8000);
    expect(lobby.requests).toHaveLength(2);
    stop();
  });

  it('are asked for again, and a late one holds back no other', async () => {
    vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
    const [lobby, bots, day, parts] = [new Asked(), new Asked(), new Asked(), new Parts()];
    void parts.read(lobby.part, bots.part, day.part);
    for (const one of [lobby, bots, day]) one.requests[0]?.fail();
    const stop = parts.poll(8000, lobby.part, bots.part, day.part);
    await vi.advanceTimersByTimeAsync(8000);
    lobby.requests[1]?.answer('lobby');
    day.requests[1]?.fail();
    await vi.advanceTimersByTimeAsync(8000);
    expect([lobby, bots, day].map((one) => one.requests.length)).toEqual([3, 2, 3]);
    lobby.requests[2]?.answer('later');
    day.requests[2]?.answer('day');
    bots.requests[1]?.answer('bots');
    await vi.advanceTimersByTimeAsync(8000);
    expect([lobby.shown, bots.shown, day.shown]).toEqual([['lobby', 'later'], ['bots'], ['day']]);
    expect([lobby, bots, day].map((one) => one.requests.length)).toEqual([4, 2, 3]);
    stop();
    await vi.advanceTimersByTimeAsync(8000);
    expect(lobby.requests).toHaveLength(4);
  });
});
