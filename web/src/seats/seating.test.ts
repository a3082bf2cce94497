import { describe, expect, it } from 'vitest';
import { place } from './seating';

describe('seating', () => {
  it('seats the next player on the right where play is counter-clockwise', () => {
    for (const players of [3, 4, 5, 6, 7, 8]) {
      for (const shape of ['wide', 'narrow', 'low'] as const) {
        expect(place(1, 0, players, 'counterclockwise', shape).x).toBeGreaterThan(50);
        expect(place(1, 0, players, 'clockwise', shape).x).toBeLessThan(50);
        expect(place(0, players - 1, players, 'clockwise', shape).x).toBeLessThan(50);
      }
    }
  });

  it('has each seat in a place of its own', () => {
    const places = Array.from({ length: 8 }, (_, seat) => place(seat, 3, 8, 'clockwise', 'narrow'));
    expect(new Set(places.map(({ x, y }) => `${x},${y}`)).size).toBe(8);
  });
});
