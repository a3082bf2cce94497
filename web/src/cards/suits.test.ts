import { describe, expect, it } from 'vitest';
import css from '../styles/app.css?raw';

type Triple = [number, number, number];

/** Deuteranopia by Machado, Oliveira and Fernandes (2009), on linear light. */
const DEUTERANOPIA: Triple[] = [
  [0.367322, 0.860646, -0.227968],
  [0.280085, 0.672501, 0.047413],
  [-0.01182, 0.04294, 0.968881],
];

const linear = (hex: string): Triple =>
  [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Triple;

/** CIE lightness, 0 to 100, of a colour as seen without green cones. */
function lightness(hex: string): number {
  const light = linear(hex);
  const [r, g, b] = DEUTERANOPIA.map((row) => {
    const sum = row.reduce((all, weight, i) => all + weight * (light[i] ?? 0), 0);
    return Math.max(0, Math.min(1, sum));
  }) as Triple;
  const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
}

/** Every colour of every suit in all themes, without repetitions. */
const inks = (suit: string): string[] =>
  [...css.matchAll(new RegExp(`--suit-${suit}: (#[0-9a-f]{6})`, 'g'))].map(([, hex]) => hex ?? '');

describe('with four colours, for those who see fewer hues', () => {
  it.each([
    ['h', 'c'],
    ['d', 's'],
  ])('the suits %s and %s differ in lightness', (one, other) => {
    expect(inks(one).length).toBeGreaterThan(0);
    expect(inks(other).length).toBe(inks(one).length);
    for (const [i, hex] of inks(one).entries()) {
      // A difference of about 2 is just visible side by side.
      expect(Math.abs(lightness(hex) - lightness(inks(other)[i] ?? ''))).toBeGreaterThan(10);
    }
  });
});
