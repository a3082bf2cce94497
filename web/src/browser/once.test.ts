import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { once, PATIENCE } from './once';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a command that runs', () => {
  it('is not sent again, until it has succeeded or failed', async () => {
    let end: (done: boolean) => void = () => undefined;
    const sent = vi.fn(() => new Promise<void>((resolve, reject) => (end = (done) => (done ? resolve() : reject(new Error())))));
    const send = once(sent);
    for (const done of [true, false]) {
      const first = send();
      await send();
      expect(sent).toHaveBeenCalledTimes(1);
      end(done);
      await first.catch(() => undefined);
      sent.mockClear();
    }
  });

  it('is sent again if it hangs, and its late end does not release the next', async () => {
    const ends: (() => void)[] = [];
    const send = once(() => new Promise<void>((resolve) => ends.push(resolve)));
    const late = send();
    vi.advanceTimersByTime(PATIENCE - 1);
    void send();
    expect(ends.length).toBe(1);
    vi.advanceTimersByTime(1);
    void send();
    expect(ends.length).toBe(2);
    ends[0]?.();
    await late;
    void send();
    expect(ends.length).toBe(2);
  });
});
