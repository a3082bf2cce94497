import type { PositionValue, ReviewMove, RulesFacts } from '../gen/protocol';
import { maybe, signed, t } from '../i18n/i18n.svelte';
import { inGame } from '../i18n/words';
import { requests } from '../browser/latest';
import { lines, position as askPosition, problemText } from '../server/api';

interface Judged {
  type: string;
  seq: number;
}
interface Done {
  type: 'done';
  complete: boolean;
}

/** One kind of verdicts on the moves of a hand, as they arrive from the server. */
export class Verdicts<Move extends Judged, Last extends Done> {
  moves = $state.raw<ReadonlyMap<number, Move>>(new Map());
  done = $state.raw<Last | null>(null);
  working = $state(false);
  refused = $state('');
  private readonly stop = new AbortController();

  constructor(private readonly path: string) {}

  /** Request them, unless they are loaded or pending. */
  async ask(): Promise<void> {
    if (this.done || this.working) return;
    this.working = true;
    this.refused = '';
    try {
      for await (const one of lines<Move | Last>(this.path, this.stop.signal)) {
        if (one.type === 'done') this.done = one as Last;
        else this.moves = new Map(this.moves).set((one as Move).seq, one as Move);
      }
    } catch (error) {
      if (!this.stop.signal.aborted) this.refused = problemText(error);
    } finally {
      this.working = false;
    }
  }

  close(): void {
    this.stop.abort();
  }
}

/** A variation, and the solver's verdict after it. */
export class OtherLine {
  shown = $state.raw<{ moves: string[]; value: PositionValue } | null>(null);
  problem = $state('');
  private readonly begin = requests();

  constructor(private readonly hand: string) {}

  /** Play `moves` from the position before event `seq`; false if the reader has moved on in the meantime. */
  async play(seq: number, moves: string[]): Promise<boolean> {
    const latest = this.begin();
    this.problem = '';
    try {
      const value = await askPosition(this.hand, seq, moves);
      if (!latest()) return false;
      this.shown = { moves, value };
      return true;
    } catch (error) {
      if (latest()) this.problem = problemText(error);
      return false;
    }
  }

  /** Return to the game. */
  leave(): void {
    this.begin();
    this.shown = null;
    this.problem = '';
  }
}

type Wins = RulesFacts['wins'];

/** A result as the solver gives it: a payment, or a place from 1. */
export const resultText = (value: number, wins: Wins): string =>
  wins === 'places' ? (maybe(`place.${value}`) ?? String(value)) : signed(value);

/** A judged move in words, and whether it keeps a win. `ownValues`: whether its values are those of the side that moved. */
export function verdictText(one: ReviewMove, wins: Wins, ownValues: boolean): { text: string; good: boolean } {
  const said = (text: string, good = false) => ({ text, good });
  if (one.forced) return said(t('review.forced'));
  if (one.kept === null)
    return said(one.as_bidder === null ? t('review.unknown') : t('review.bid', { n: signed(one.as_bidder) }));
  const won = (value: number | null): boolean =>
    value !== null && (wins === 'places' ? value === 1 : ownValues ? value > 0 : value < 0);
  if (!one.kept) return said(t(won(one.value) && !won(one.worth) ? 'review.lost' : 'review.lost.result'));
  if (won(one.value)) return said(t('review.kept'), true);
  // Without a sure win against all others, or for another place than the first, nothing is lost.
  return said(t(wins === 'places' || one.scope === 'paranoid' ? 'review.kept.result' : 'review.hopeless'));
}

/** What a variation comes to: its value or, if it ends the hand, who is out first. `names`: by seat. */
export function variationText(value: PositionValue, wins: Wins, you: number | null, names: readonly string[]): string {
  if (value.value !== null) {
    const n = resultText(value.value, wins);
    if (wins === 'side') return inGame('review.try.bidder', value.view.preset, { n });
    return t(wins === 'places' ? 'review.try.place' : 'review.try.value', { n });
  }
  const first = value.view.result?.finish_order[0];
  if (first === undefined) return t('review.unknown');
  return first === you ? t('over.first.you') : t('over.first', { name: names[first] ?? '' });
}
