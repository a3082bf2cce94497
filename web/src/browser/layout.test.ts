import { describe, expect, it } from 'vitest';
import { shapeOf, sizes } from './layout';

describe('layout', () => {
  it('grows with the window, and keeps a card for every shape', () => {
    expect([shapeOf(1440, 900), shapeOf(390, 844), shapeOf(844, 390), shapeOf(720, 450)]).toEqual([
      'wide',
      'narrow',
      'low',
      'low',
    ]);
    expect(sizes(1060, 832, 'wide').hand).toBe(129);
    expect(sizes(2100, 1370, 'wide').hand).toBeGreaterThan(165);
    for (const [width, height] of [
      [320, 500],
      [390, 780],
    ] as const)
      expect(sizes(width, height, 'narrow').hand).toBeGreaterThanOrEqual(50);
  });
});
