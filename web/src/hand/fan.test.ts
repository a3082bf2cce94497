import { describe, expect, it } from 'vitest';
import { fan, largest } from './fan';

describe('a fan of cards', () => {
  it('gives every card of a hand a strip of its own', () => {
    expect(fan(13, 1000, 100, 40).rows).toEqual([13]);
    expect(fan(20, 374, 76, 30).rows).toEqual([10, 10]);
    expect(fan(36, 374, 76, 30).rows).toEqual([12, 12, 12]);
    expect(fan(7, 200, 76, 30).rows).toEqual([3, 4]);
    expect(fan(0, 374, 76, 30).rows).toEqual([]);
    for (let n = 1; n <= 36; n++) {
      const { rows, step } = fan(n, 374, 76, 30);
      expect(rows.reduce((a, b) => a + b)).toBe(n);
      expect(Math.max(...rows.map((row) => 76 + step * (row - 1)))).toBeLessThanOrEqual(374.001);
    }
  });

  it('lays a long play in the rows that make its cards largest, with every corner visible', () => {
    const laid = (count: number, width: number, height: number) => {
      const size = largest(count, width, height, 60, 0.29);
      return [size, fan(count, width, size, 0.29 * size, 3, 0.44).rows];
    };
    expect(laid(5, 130, 130)).toEqual([60, [5]]);
    expect(laid(8, 130, 130)).toEqual([60, [4, 4]]);
    expect(laid(16, 130, 130)).toEqual([46, [5, 5, 6]]);
    expect(laid(8, 300, 90)).toEqual([60, [8]]);
  });
});
