import type { ServerMessage, View } from '../gen/protocol';
import { socketUrl } from './api';
import { cardOf, keys } from './cards';
import { Connection, type Status } from './connection';
import { fold, NOTHING, sent, type Game } from './game';
import { t } from './i18n.svelte';
import { prefs } from './prefs.svelte';
import { Pump } from './pump';
import { canPass, cardMoves, commandFor, playable, scopeOf } from './selection';
import { load, save } from './storage';
import { unmoved } from './trick';
import { sentence } from './words';

/** What a play deserves to be looked at before the next one covers it. */
const PACE = 420;
const AFTER_TRICK = 900;
const BEFORE_RESULT = 1300;

/** The phases in which cards of the hand are chosen. */
const CHOOSING = new Set(['play', 'exchange']);

/** One table on the screen: the game as the server tells it, and what the player is about to do. */
export class Table {
  game = $state.raw<Game>(NOTHING);
  status = $state<Status>('connecting');
  chosen = $state.raw<ReadonlySet<string>>(new Set());
  /** The draw, the cut and the deal are being shown. */
  opening = $state(false);
  /** The player has put the settlement aside to see the table. */
  looking = $state(false);
  /** The settlement may cover the table. */
  settled = $state(false);
  /** For the live region. */
  spoken = $state('');
  /** A remark of the client's own, such as that there is nothing to hint at. */
  remark = $state<string | null>(null);
  /** Which of the legal plays is being hinted. */
  hinted = $state<{ i: number; n: number } | null>(null);

  view = $derived<View | null>(this.game.view);
  me = $derived(this.game.view?.seat ?? null);
  myTurn = $derived(this.me !== null && this.game.view?.to_act === this.me && !this.opening);
  busy = $derived(this.game.pending !== null);
  hand = $derived(this.game.view?.hand ?? []);
  handKeys = $derived(keys(this.hand));
  selection = $derived(this.handKeys.filter((key) => this.chosen.has(key)).map(cardOf));
  scope = $derived(this.game.table ? scopeOf(this.game.table) : 'complete');
  bright = $derived(this.game.view && this.myTurn && CHOOSING.has(this.game.view.phase) ? playable(this.game.view, this.scope) : null);

  private readonly connection: Connection;
  private readonly pump: Pump<ServerMessage>;
  private commands = 0;
  private afterTrick = false;
  private result: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly id: string) {
    this.pump = new Pump(
      (message) => this.receive(message),
      (message) => this.pause(message),
    );
    this.connection = new Connection(socketUrl(id), {
      message: (message) => this.sort(message),
      status: (status) => (this.status = status),
    });
  }

  close(): void {
    this.pump.clear();
    clearTimeout(this.result);
    this.connection.close();
  }

  toggle(key: string): void {
    this.choose(this.chosen.has(key) ? [...this.chosen].filter((other) => other !== key) : [...this.chosen, key]);
  }

  choose(wanted: Iterable<string>): void {
    this.chosen = new Set(wanted);
    this.hinted = null;
  }

  play(): void {
    if (this.view && this.selection.length) this.move(commandFor(this.view, this.selection));
  }

  pass(): void {
    if (this.view && canPass(this.view)) this.move('pass');
  }

  move(text: string): void {
    this.send((id) => ({ type: 'move', id, move: text }));
  }

  next(): void {
    if (this.view?.phase === 'over') this.send((id) => ({ type: 'next', id }));
  }

  /** Select the next of the legal plays, from the lowest. */
  hint(): void {
    if (!this.view || !this.myTurn) return;
    const moves = cardMoves(this.view);
    if (!moves.length) {
      this.choose([]);
      this.remark = t('hint.none');
      return;
    }
    const i = this.hinted ? (this.hinted.i + 1) % moves.length : 0;
    const wanted = [...(moves[i]?.cards ?? [])];
    const picked = this.handKeys.filter((key) => {
      const at = wanted.indexOf(cardOf(key));
      if (at >= 0) wanted.splice(at, 1);
      return at >= 0;
    });
    this.choose(picked);
    this.hinted = { i, n: moves.length };
  }

  dismiss(): void {
    this.remark = null;
    this.game = { ...this.game, refusal: null };
  }

  /** The opening has been seen, or skipped. */
  opened(): void {
    if (!this.opening) return;
    this.opening = false;
    this.pump.release();
    this.speakTurn();
  }

  private send(make: (id: string) => Parameters<Connection['send']>[0]): void {
    if (this.busy) return;
    const id = `c${Date.now().toString(36)}-${this.commands++}`;
    this.remark = null;
    if (this.connection.send(make(id))) this.game = sent(this.game, id);
    else this.remark = t('net.wait');
  }

  /** One's own move is answered at once; the others' come at a pace one can follow. */
  private pause(message: ServerMessage): number {
    if (message.type !== 'update' || message.events[0]?.seat === this.me) return 0;
    return this.afterTrick ? AFTER_TRICK : PACE;
  }

  private sort(message: ServerMessage): void {
    if (message.type === 'snapshot') {
      this.pump.clear();
      this.receive(message);
    } else if (message.type === 'update') {
      this.pump.push(message);
    } else {
      this.receive(message);
    }
  }

  private receive(message: ServerMessage): void {
    const before = this.game;
    this.game = fold(before, message);
    if (this.game.stale) this.connection.restart();
    if (message.type === 'snapshot') this.begin();
    if (message.type === 'update' && this.game !== before) {
      this.afterTrick = message.events.some((event) => event.type === 'trick');
      this.speak(message.events);
    }
    // What was chosen has been played; with two decks an equal card may still be there.
    if (message.type === 'ack' && before.pending === message.id) this.chosen = new Set();
    if (this.game.view !== before.view) this.settle(message.type === 'snapshot');
  }

  /** A new hand, or the same one after coming back. */
  private begin(): void {
    const { view, session } = this.game;
    if (!view || !session) return;
    this.chosen = new Set();
    this.settled = false;
    this.looking = false;
    clearTimeout(this.result);
    const shown = load<string>('opening', '', sessionStorage);
    const now = `${this.id}:${session.number}`;
    if (unmoved(view) && shown !== now && session.opening.length && !prefs.reduced) {
      this.opening = true;
      this.pump.hold();
    } else {
      this.speakTurn();
    }
    save('opening', now, sessionStorage);
  }

  /** Forget cards that have left the hand, and let the end be seen before the settlement covers it. */
  private settle(atOnce: boolean): void {
    const held = new Set(this.handKeys);
    if ([...this.chosen].some((key) => !held.has(key))) this.chosen = new Set([...this.chosen].filter((key) => held.has(key)));
    this.hinted = null;
    this.chooseTheOnly();
    if (this.view?.result && !this.settled) {
      this.chosen = new Set();
      clearTimeout(this.result);
      this.result = setTimeout(() => (this.settled = true), atOnce ? 0 : BEFORE_RESULT);
    }
  }

  /** A gift that leaves no choice is chosen already. */
  private chooseTheOnly(): void {
    if (!this.view || !this.myTurn || this.view.phase !== 'exchange') return;
    const [only, ...others] = cardMoves(this.view);
    const key = this.handKeys.find((one) => cardOf(one) === only?.cards?.[0]);
    if (key && !others.length) this.chosen = new Set([key]);
  }

  private speak(events: Parameters<typeof sentence>[0][]): void {
    const { table } = this.game;
    if (!table) return;
    const said = events.map((event) => sentence(event, table)).filter((text) => text !== null);
    if (this.myTurn) said.push(t('table.yourTurn'));
    if (said.length) this.spoken = said.join('. ');
  }

  private speakTurn(): void {
    if (this.myTurn) this.spoken = t('table.yourTurn');
  }
}
