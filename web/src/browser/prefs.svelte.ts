import { load, save } from './storage';

export type Theme = 'system' | 'light' | 'dark';
export const FELTS = ['green', 'blue', 'plum', 'slate'] as const;
export type Felt = (typeof FELTS)[number];
export const BACKS = ['red', 'blue', 'green', 'ink'] as const;
export type Back = (typeof BACKS)[number];
export const SORTS = ['rank', 'suit', 'combination'] as const;
export type Sort = (typeof SORTS)[number];
export const SPEEDS = ['slow', 'normal', 'fast'] as const;
export type Speed = (typeof SPEEDS)[number];

/** The player's settings for the table. */
class Prefs {
  theme = $state<Theme>(load<Theme>('theme', 'system'));
  fourColours = $state(load('fourColours', true));
  calm = $state(load('calm', false));
  felt = $state<Felt>(load<Felt>('felt', 'green'));
  back = $state<Back>(load<Back>('back', 'red'));
  /** Big corners and one pip on every card. */
  plain = $state(load('plain', false));
  sort = $state<Sort>(load<Sort>('sort', 'rank'));
  /** One touch completes the likely combination. */
  smart = $state(load('smart', true));
  /** Pass automatically if nothing beats the table. */
  autoPass = $state(load('autoPass', false));
  sound = $state(load('sound', true));
  haptics = $state(load('haptics', true));
  speed = $state<Speed>(load<Speed>('speed', 'normal'));
  /** The system asks for little motion. */
  private still = matchMedia('(prefers-reduced-motion: reduce)');
  private systemStill = $state(this.still.matches);
  /** Each setting as it was last read or stored. */
  private readonly known = new Map<string, unknown>();

  constructor() {
    for (const name of KEPT) this.known.set(name, this[name]);
    this.still.addEventListener('change', () => {
      this.systemStill = this.still.matches;
      this.apply();
    });
  }

  /** Whether animations are off. */
  get reduced(): boolean {
    return this.calm || this.systemStill;
  }

  /** Milliseconds for an animation; 0 if motion is reduced. */
  time(milliseconds: number): number {
    return this.reduced ? 0 : milliseconds;
  }

  /** A factor for the time that others' moves stay visible. */
  get pace(): number {
    return { slow: 1.8, normal: 1, fast: 0.45 }[this.speed] ?? 1;
  }

  /** Store what has changed; the rest may have been changed in another tab. */
  keep(): void {
    for (const name of KEPT) {
      if (this[name] === this.known.get(name)) continue;
      this.known.set(name, this[name]);
      save(name, this[name]);
    }
    this.apply();
  }

  apply(): void {
    const root = document.documentElement;
    if (this.theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = this.theme;
    // The browser's own bars.
    for (const bars of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
      const theme = bars.dataset.theme;
      if (this.theme === 'system') bars.media = `(prefers-color-scheme: ${theme})`;
      else bars.media = theme === this.theme ? 'all' : 'not all';
    }
    root.dataset.suits = this.fourColours ? 'four' : 'two';
    root.dataset.motion = this.reduced ? 'none' : 'full';
    root.dataset.felt = this.felt;
    root.dataset.back = this.back;
  }
}

const KEPT = [
  'theme',
  'fourColours',
  'calm',
  'felt',
  'back',
  'plain',
  'sort',
  'smart',
  'autoPass',
  'sound',
  'haptics',
  'speed',
] as const;

export const prefs = new Prefs();
