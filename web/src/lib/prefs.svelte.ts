import { load, save } from './storage';

export type Theme = 'system' | 'light' | 'dark';

/** How this player likes the table. */
class Prefs {
  theme = $state<Theme>(load<Theme>('theme', 'system'));
  fourColours = $state(load('fourColours', true));
  calm = $state(load('calm', false));
  /** The system asks for little motion. */
  private still = matchMedia('(prefers-reduced-motion: reduce)');
  private systemStill = $state(this.still.matches);

  constructor() {
    this.still.addEventListener('change', () => (this.systemStill = this.still.matches));
  }

  /** Should nothing fly? */
  get reduced(): boolean {
    return this.calm || this.systemStill;
  }

  /** Milliseconds for an animation: none where motion is unwelcome. */
  time(milliseconds: number): number {
    return this.reduced ? 0 : milliseconds;
  }

  keep(): void {
    save('theme', this.theme);
    save('fourColours', this.fourColours);
    save('calm', this.calm);
    this.apply();
  }

  apply(): void {
    const root = document.documentElement;
    if (this.theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = this.theme;
    root.dataset.suits = this.fourColours ? 'four' : 'two';
    root.dataset.motion = this.reduced ? 'none' : 'full';
  }
}

export const prefs = new Prefs();
