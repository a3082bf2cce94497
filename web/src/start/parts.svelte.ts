import { SvelteMap } from 'svelte/reactivity';
import { PATIENCE } from '../browser/once';
import { poll } from '../browser/poll';

/** Milliseconds for which the parts of a page wait for each other. */
const TOGETHER = 2500;

/** Asks the server for one part of a page; the returned function shows the answer. */
export type Part = () => Promise<() => void>;

/** The part that `ask` reads, and `show` shows. */
export const part =
  <T>(ask: () => Promise<T>, show: (answer: T) => void): Part =>
  async () => {
    const answer = await ask();
    return () => show(answer);
  };

/**
 * Reads parts of a page. Parts that are read together also appear together, so that no button moves away from a finger; a
 * part whose answer takes longer than `TOGETHER` appears when it arrives.
 */
export class Parts {
  /** Those whose request failed and that have never been read since, and why. */
  readonly missing = new SvelteMap<Part, unknown>();
  private readonly shown = new Set<Part>();
  /** By part, the latest request: earlier ones no longer matter. */
  private readonly asked = new Map<Part, Promise<() => void>>();
  /** By part, when the latest request began, until its answer. */
  private readonly since = new Map<Part, number>();

  /** Read these parts, and wait for all of them. */
  async read(...parts: Part[]): Promise<void> {
    let waiting: (() => void)[] | null = [];
    const show = (): void => {
      for (const one of waiting ?? []) one();
      waiting = null;
    };
    const timer = setTimeout(show, TOGETHER);
    await Promise.all(
      parts.map(async (part) => {
        const outcome = await this.outcome(part);
        if (waiting) waiting.push(outcome);
        else outcome();
      }),
    );
    clearTimeout(timer);
    show();
  }

  /**
   * Every `every` milliseconds read a part that changes, together with those of the others that are missing. One whose answer is
   * late holds back no other, and is asked for again only once it counts as lost. Returns a function that stops.
   */
  poll(every: number, changing: Part, ...others: Part[]): () => void {
    return poll(every, async () => {
      const due = [changing, ...others].filter((part) => part === changing || this.missing.has(part));
      void this.read(...due.filter((part) => Date.now() - (this.since.get(part) ?? 0) >= PATIENCE));
    });
  }

  /** Ask for a part; returns what to do once it may appear. */
  private async outcome(part: Part): Promise<() => void> {
    const request = part();
    this.asked.set(part, request);
    this.since.set(part, Date.now());
    const ifLatest = (work: () => void) => () => {
      if (this.asked.get(part) === request) work();
    };
    try {
      const show = await request;
      return ifLatest(() => {
        this.shown.add(part);
        this.missing.delete(part);
        show();
      });
    } catch (error) {
      return ifLatest(() => {
        // What has been read before stays.
        if (!this.shown.has(part)) this.missing.set(part, error);
      });
    } finally {
      if (this.asked.get(part) === request) this.since.delete(part);
    }
  }
}
