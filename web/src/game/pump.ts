/** Delivers messages one at a time, at a readable pace; holds them back while an animation runs. */
export class Pump<T> {
  private waiting: T[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private last = -Infinity;
  private held = false;

  /** `pause(message)`: milliseconds of quiet to keep before this message. */
  constructor(
    private readonly deliver: (message: T) => void,
    private readonly pause: (message: T) => number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  push(message: T): void {
    this.waiting.push(message);
    this.run();
  }

  /** Drop queued messages: a snapshot contains everything. */
  clear(): void {
    this.waiting = [];
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  hold(): void {
    this.held = true;
  }

  release(): void {
    this.held = false;
    this.run();
  }

  private run(): void {
    while (!this.held && !this.timer) {
      const next = this.waiting[0];
      if (next === undefined) return;
      const wait = this.waiting.length > 12 ? 0 : this.last + this.pause(next) - this.now();
      if (wait > 0) {
        this.timer = setTimeout(() => {
          this.timer = null;
          this.run();
        }, wait);
        return;
      }
      this.waiting.shift();
      this.last = this.now();
      this.deliver(next);
    }
  }
}
