import { describe, expect, it, vi } from 'vitest';
import { once, PATIENCE } from './once';

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

  it('is sent again if it hangs', async () => {
    vi.useFakeTimers();
    const sent = vi.fn(() => new Promise<void>(() => undefined));
    const send = once(sent);
    void send();
    vi.advanceTimersByTime(PATIENCE - 1);
    void send();
    expect(sent).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    void send();
    expect(sent).toHaveBeenCalledTimes(2);
    vi.useRealTimers();
  });
});
