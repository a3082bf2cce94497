import { expect, it } from 'vitest';
import { requests } from './latest';

it('knows which request is the latest, each list for itself', () => {
  const begin = requests();
  const first = begin();
  expect(first()).toBe(true);
  const second = begin();
  requests()();
  expect([first(), second(), second()]).toEqual([false, true, true]);
});
