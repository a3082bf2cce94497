import { shapeOf, type Shape } from './layout';

/** The window's size in CSS pixels, and what it means for the table; zooming in makes it smaller. */
class Screen {
  width = $state(innerWidth);
  height = $state(innerHeight);
  shape = $derived<Shape>(shapeOf(this.width, this.height));
  /** Room for a panel beside the table. */
  roomy = $derived(this.shape === 'wide' && this.width >= 1120);

  constructor() {
    addEventListener('resize', () => {
      [this.width, this.height] = [innerWidth, innerHeight];
      this.apply();
    });
    this.apply();
  }

  /** Style sheets ask for `[data-shape]`, so that they and the components agree. */
  private apply(): void {
    document.documentElement.dataset.shape = shapeOf(this.width, this.height);
  }
}

export const screen = new Screen();
