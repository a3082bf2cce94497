import { expect, it } from 'vitest';
import { latestAnswer, requests } from './latest';

it('knows which request is the latest, each list for itself', () => {
  const begin = requests();
  const first = begin();
  expect(first()).toBe(true);
  const second = begin();
  requests()();
  expect([first(), second(), second()]).toEqual([false, true, true]);
});

it('shows no answer that arrives after the answer to a later request', async () => {
  const shown: string[] = [];
  const show = latestAnswer<string>((answer) => shown.push(answer));
  let late: (answer: string) => void = () => undefined;
  const first = show(new Promise((resolve) => (late = resolve)));
  await show(Promise.resolve('second'));
  late('first');
  await first;
  expect(shown).toEqual(['second']);
});
