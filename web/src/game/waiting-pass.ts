/**
 * The pass that the page makes for the player in a turn: a planned one, or one because nothing beats the table. It waits like
 * this player's other passes, so that the delay reveals nothing.
 */
import { PassTimes } from './passtimes';

export class WaitingPass {
  private readonly times = PassTimes.stored();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Also where the pass was lost with the connection. */
  private wanted = false;
  private began = 0;

  constructor(private readonly pass: () => void) {}

  /** A turn of the player begins. */
  begin(): void {
    this.began = performance.now();
  }

  /** left: milliseconds on the clock; null without one. alone: whether no other person plays. */
  wait(left: number | null, alone: boolean): void {
    clearTimeout(this.timer);
    this.wanted = true;
    this.timer = setTimeout(
      () => {
        this.pass();
        this.wanted = true;
      },
      alone ? 0 : this.times.draw(left),
    );
  }

  /** After a lost connection: whether a pass was waiting, which no longer does. */
  interrupted(): boolean {
    clearTimeout(this.timer);
    return this.wanted;
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.wanted = false;
  }

  /** Record how long the player took for a pass by hand, with a choice. */
  record(): void {
    this.times.record(performance.now() - this.began);
    this.times.keep();
  }
}
