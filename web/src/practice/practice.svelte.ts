import type { View } from '../gen/protocol';
import { cardOf, keys, type Card } from '../cards/cards';
import { prefs } from '../browser/prefs.svelte';
import { commandFor, matching, playable } from '../game/selection';
import { sorted } from '../game/sorting';
import { raised, toggled, touch, type Raised } from '../game/touch';

/** A position played outside a table: a puzzle, a step of a lesson. */
export class Practice {
  view = $state.raw<View | null>(null);
  private raised = $state.raw<Raised>(raised([]));
  chosen = $derived(this.raised.keys);

  handKeys = $derived(keys(this.view?.hand ?? []));
  laid = $derived(sorted(this.handKeys, prefs.sort));
  selection = $derived(this.handKeys.filter((key) => this.chosen.has(key)).map(cardOf));
  /** The cards in legal moves; null in the auction and the call, when no cards are selected. */
  bright = $derived<ReadonlySet<Card> | null>(
    this.view?.legal_moves.length && ['play', 'exchange'].includes(this.view.phase) ? playable(this.view) : null,
  );
  match = $derived(this.view && this.selection.length ? matching(this.view, this.selection) : null);

  show(view: View): void {
    this.view = view;
    this.choose([]);
  }

  choose(wanted: Iterable<string>): void {
    this.raised = raised(wanted);
  }

  toggle(key: string): void {
    this.raised = toggled(this.raised, key);
  }

  touch(key: string): void {
    this.raised = prefs.smart && this.view ? touch(this.view, this.handKeys, this.raised, key) : toggled(this.raised, key);
  }

  /** The text of the move that is chosen. */
  get command(): string | null {
    return this.view && this.selection.length ? commandFor(this.view, this.selection) : null;
  }
}
