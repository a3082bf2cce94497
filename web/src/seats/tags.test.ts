import { render } from 'svelte/server';
import { describe, expect, it } from 'vitest';
import { roleOf } from '../game/roles';
import Tags from './Tags.svelte';

describe('the tag of a bid', () => {
  it.each([
    [true, 'Bid 1', 'Landlord'],
    [false, 'Landlord · 1', 'Bid'],
  ])('makes nobody the landlord before the auction has ended: %s', (auction, said, unsaid) => {
    const position = { preset: 'dou-dizhu', bidder: 1, bid: 1, auction, doublings: 0, called: null };
    const { body } = render(Tags, { props: { state: roleOf(position, 1) } });
    expect(body).toContain(said);
    expect(body).not.toContain(unsaid);
  });
});
