import { besideOf, shapeOf, shortOf, type Shape } from './layout';

/** The window's size in CSS pixels, and the table's layout for it; zooming in makes it smaller. */
class Screen {
  width = $state(innerWidth);
  height = $state(innerHeight);
  shape = $derived<Shape>(shapeOf(this.width, this.height));
  beside = $derived(besideOf(this.width, this.height));
  short = $derived(shortOf(this.width, this.height));
  /** Room for a panel beside the table. */
  roomy = $derived(this.shape === 'wide' && this.width >= 1120);

  constructor() {
    addEventListener('resize', () => {
      [this.width, this.height] = [innerWidth, innerHeight];
      this.apply();
    });
    this.apply();
  }

  /** Style sheets select by `[data-shape]`, `[data-beside]` and `[data-short]`, so that they agree with the components. */
  private apply(): void {
    const root = document.documentElement;
    root.dataset.shape = shapeOf(this.width, this.height);
    root.toggleAttribute('data-beside', besideOf(this.width, this.height));
    root.toggleAttribute('data-short', shortOf(this.width, this.height));
  }
}

export const screen = new Screen();
