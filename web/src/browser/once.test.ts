import { describe, expect, it, vi } from 'vitest';
import { once } from './once';

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
});
