import type { QuickMatch, QuickMatched } from '../gen/protocol';
import { leaveQuick, passing, problemText, quickMatch } from '../server/api';
import { load, save } from '../browser/storage';

const EVERY = 2000;

export const SPEEDS = ['move-20', 'move-60', 'clock-300'] as const;

interface Kept {
  preset: string;
  speed: (typeof SPEEDS)[number];
  bots: boolean;
}

/** Seeks a game by rating: polls until there is a table, or until stopped. */
export class Quick {
  wanted = $state<Kept>(load<Kept>('quick', { preset: 'big-three', speed: 'move-60', bots: true }));
  /** The server's last answer, while seeking a game. */
  answer = $state.raw<QuickMatched | null>(null);
  seeking = $state(false);
  problem = $state('');
  /** The button that the player has pressed: a problem is shown there. */
  from = $state<'top' | 'panel'>('panel');
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The pending request. */
  private asked: Promise<void> = Promise.resolve();

  constructor(private readonly go: (table: string) => void) {}

  start(from: 'top' | 'panel'): void {
    if (this.seeking) return;
    this.from = from;
    save('quick', this.wanted);
    this.seeking = true;
    this.problem = '';
    this.asked = this.asked.then(() => this.ask());
  }

  /** Stop seeking. If a table was found at the same moment, the player goes there. */
  async stop(): Promise<void> {
    if (!this.seeking) return;
    this.end();
    this.problem = '';
    // An answer after leaving would take a seat for nobody.
    await this.asked;
    const { table } = await leaveQuick().catch(() => ({ table: null }));
    if (table) this.go(table);
  }

  /** The browser closes the page, and would not wait for an answer. */
  close(): void {
    if (!this.seeking) return;
    this.end();
    void leaveQuick().catch(() => undefined);
  }

  private end(): void {
    this.seeking = false;
    this.answer = null;
    clearTimeout(this.timer);
  }

  private async ask(): Promise<void> {
    if (!this.seeking) return;
    const name = load<string>('name', '');
    const wanted: QuickMatch = { ...this.wanted, ...(name ? { name } : {}) };
    try {
      const answer = await quickMatch(wanted);
      // The others wait there, even for a player who has just stopped seeking.
      if (answer.table) {
        this.end();
        return this.go(answer.table);
      }
      if (!this.seeking) return;
      this.answer = answer;
      this.problem = '';
    } catch (error) {
      if (!this.seeking) return;
      this.problem = problemText(error);
      // Whoever has begun to seek goes on while the server restarts.
      if (!this.answer || !passing(error)) return this.end();
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.asked = this.ask()), EVERY);
  }
}
