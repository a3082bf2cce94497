import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { poll } from './poll';

const events = new EventTarget();
const shown = (): void => {
  vi.stubGlobal('document', Object.assign(events, { hidden: false }));
};

beforeEach(() => {
  vi.useFakeTimers();
  shown();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('waits for an answer, but not for ever, survives a refusal, and stops', async () => {
  const answers: { resolve: () => void; reject: (reason: Error) => void }[] = [];
  const stop = poll(100, () => new Promise<void>((resolve, reject) => answers.push({ resolve, reject })));
  await vi.advanceTimersByTimeAsync(350);
  expect(answers.length).toBe(1);
  answers[0]?.reject(new Error('refused'));
  await vi.advanceTimersByTimeAsync(100);
  expect(answers.length).toBe(2);
  answers[1]?.resolve();
  Object.assign(events, { hidden: true });
  await vi.advanceTimersByTimeAsync(300);
  expect(answers.length).toBe(2);
  shown();
  await vi.advanceTimersByTimeAsync(100);
  expect(answers.length).toBe(3);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(answers.length).toBe(4);
  answers[2]?.resolve(); // late: the fourth is still awaited
  await vi.advanceTimersByTimeAsync(300);
  expect(answers.length).toBe(4);
  answers[3]?.resolve();
  stop();
  await vi.advanceTimersByTimeAsync(300);
  expect(answers.length).toBe(4);
});

it('reads at once when the page becomes visible', async () => {
  let read = 0;
  const stop = poll(60_000, async () => void read++);
  events.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toBe(1);
  stop();
  events.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toBe(1);
});
