import { render } from 'svelte/server';
import { describe, expect, it } from 'vitest';
import GroupStandings from './GroupStandings.svelte';

describe('the standings of a group', () => {
  it('write counts as the language writes them', () => {
    const row = { name: 'Ada', you: true, points: 1200, hands: 3400, won: 1700, evenings: 1, by_evening: [1200] };
    const { body } = render(GroupStandings, { props: { standings: { rows: [row], evenings: [0] } } });
    for (const count of ['+1,200', '3,400', '1,700']) expect(body).toContain(count);
  });

  it('begin with the last evening', () => {
    const row = { name: 'Ada', you: true, points: 8, hands: 2, won: 2, evenings: 2, by_evening: [3, 5] };
    const { body } = render(GroupStandings, { props: { standings: { rows: [row], evenings: [864e5 * 10, 864e5 * 50] } } });
    expect(body.indexOf('Feb')).toBeLessThan(body.indexOf('Jan'));
    expect(body.indexOf('+5')).toBeLessThan(body.indexOf('+3'));
  });
});
