import type { RulesFacts, View } from '../gen/protocol';
import { cardOf, keys, type Card } from '../cards/cards';
import { prefs } from '../browser/prefs.svelte';
import { commandFor, matching, playable } from '../game/selection';
import { completions } from '../game/smart';
import { sorted } from '../game/sorting';

/** A position that is played by hand and not at a table: a puzzle, a step of a lesson. */
export class Practice {
  view = $state.raw<View | null>(null);
  scope = $state.raw<RulesFacts['scope']>('complete');
  chosen = $state.raw<ReadonlySet<string>>(new Set());

  handKeys = $derived(keys(this.view?.hand ?? []));
  laid = $derived(sorted(this.handKeys, prefs.sort));
  selection = $derived(this.handKeys.filter((key) => this.chosen.has(key)).map(cardOf));
  /** Cards that a legal move uses; null while none is chosen: in the auction and the call a hand is only read. */
  bright = $derived<ReadonlySet<Card> | null>(
    this.view?.legal_moves.length && ['play', 'exchange'].includes(this.view.phase) ? playable(this.view, this.scope) : null,
  );
  match = $derived(this.view && this.selection.length ? matching(this.view, this.selection, this.scope) : null);
  private anchor: { key: string; i: number } | null = null;

  show(view: View, scope: RulesFacts['scope']): void {
    this.view = view;
    this.scope = scope;
    this.choose([]);
  }

  choose(wanted: Iterable<string>): void {
    this.chosen = new Set(wanted);
    this.anchor = null;
  }

  toggle(key: string): void {
    this.choose(this.chosen.has(key) ? [...this.chosen].filter((other) => other !== key) : [...this.chosen, key]);
  }

  touch(key: string): void {
    const { view, anchor } = this;
    const again = anchor?.key === key;
    if (!prefs.smart || !view || (this.chosen.size && !again)) {
      this.toggle(key);
      return;
    }
    const all = completions(view, cardOf(key), this.scope);
    const i = again ? (anchor?.i ?? 0) + 1 : 0;
    const wanted = [...(all[i] ?? [])];
    if (!wanted.length) {
      if (all.length) this.choose([]);
      else this.toggle(key);
      return;
    }
    const order = [key, ...this.handKeys.filter((other) => other !== key)];
    this.choose(
      order.filter((other) => {
        const at = wanted.indexOf(cardOf(other));
        if (at >= 0) wanted.splice(at, 1);
        return at >= 0;
      }),
    );
    this.anchor = { key, i };
  }

  /** The text of the move that is chosen. */
  get command(): string | null {
    return this.view && this.selection.length ? commandFor(this.view, this.selection) : null;
  }
}
