import type { ChatLine, ClientMessage, Reaction, ServerMessage, View } from '../gen/protocol';
import { adviceText, announced, soundOf } from './announcements';
import { socketUrl } from '../server/api';
import { cardOf, keys } from '../cards/cards';
import { Connection, type Status } from '../server/connection';
import { refusalText } from '../server/refusal';
import { ending, fold, newLines, news, NOTHING, sent, type Game } from './game';
import { t } from '../i18n/i18n.svelte';
import { keepCommitment } from '../browser/commitments';
import { prefs } from '../browser/prefs.svelte';
import { Pump } from './pump';
import { CARD_MOVES, canPass, cardMoves, commandFor, matching, playable } from './selection';
import { sorted } from './sorting';
import { cue } from '../browser/sound';
import { load, save } from '../browser/storage';
import { keysOf, raised, toggled, touch, type Raised } from './touch';
import { quietAfter, unmoved } from './trick';
import { WaitingPass } from './waiting-pass';
import { moveText, personName, seatName } from '../i18n/words';

/** Milliseconds for which the last play is visible before the result covers it. */
const BEFORE_RESULT = 1300;

/** The phases in which cards of the hand are chosen. */
const CHOOSING = new Set(['play', 'exchange']);

/** The most lines of the chat that are announced at once: after a lost connection there may be many. */
const SPOKEN = 3;

/** A command without its id. */
type Wanted = DistributiveOmit<Extract<ClientMessage, { id: string }>, 'id'>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Milliseconds for which a reaction stays beside its seat. */
const REACTION = 3200;

/** A message, and this browser's clock when it arrived. */
interface Arrived {
  message: ServerMessage;
  at: number;
}

/** The player's planned move for their next turn. */
export type Plan = 'play' | 'pass' | null;

/** One table on the screen: the game as the server sends it, and the player's intentions. */
export class Table {
  game = $state.raw<Game>(NOTHING);
  status = $state<Status>('connecting');
  private raised = $state.raw<Raised>(raised([]));
  chosen = $derived(this.raised.keys);
  /** The draw, the cut and the deal are being shown. */
  opening = $state(false);
  /** The hand is not visible yet. */
  empty = $state(false);
  /** The player has put the settlement aside to see the table. */
  looking = $state(false);
  /** The settlement may cover the table. */
  settled = $state(false);
  /** For the live region: recent announcements, numbered. */
  spoken = $state.raw<{ n: number; text: string }[]>([]);
  /** The client's own message, such as that there is nothing to choose. */
  remark = $state<string | null>(null);
  /** The refusal of the last command, or else the remark. */
  problem = $derived(this.game.refusal ? refusalText(this.game.refusal) : this.remark);
  /** The legal play being shown: number `i` of `n`, from 1. */
  cycled = $state<{ i: number; n: number } | null>(null);
  plan = $state<Plan>(null);
  /** The visible quick reactions, by seat. */
  reactions = $state<Record<number, Reaction['reaction']>>({});
  /** The number of unread chat messages. */
  unread = $state(0);
  /** The names whose messages and reactions are hidden: a player who changes seats stays muted. */
  muted = $state.raw<ReadonlySet<string>>(new Set());
  /** The chat messages that this player has reported. */
  reported = $state.raw<ReadonlySet<number>>(new Set());

  /** Nothing updates the clocks of a closed table. */
  clocks = $derived(this.status === 'closed' ? null : this.game.clocks);
  me = $derived(this.game.table?.you ?? null);
  /** Whether the seat's own player moves, not a bot. */
  mine = $derived(this.me !== null && !this.game.table?.seats[this.me]?.substitute);
  /** Whether a bot plays this hand to its end, and the seat's player again from the next one. */
  sitsOut = $derived(this.me !== null && this.game.table?.seats[this.me]?.substitute?.reason === 'absent');
  /** Whether the player may act in the hand: choose cards, plan and move. */
  acts = $derived(this.mine && this.game.table?.status !== 'ended');
  private received = $derived(this.game.view);
  /** The hand on the screen. Its legal moves are those that the player may make: none while a bot plays the seat. */
  view = $derived<View | null>(this.received && !this.acts ? { ...this.received, legal_moves: [] } : this.received);
  myTurn = $derived(this.acts && this.game.view?.to_act === this.me && !this.opening);
  busy = $derived(this.game.pending !== null);
  hand = $derived(this.game.view?.hand ?? []);
  handKeys = $derived(keys(this.hand));
  /** The hand as the player wants it laid out. */
  laid = $derived(sorted(this.handKeys, prefs.sort));
  selection = $derived(this.handKeys.filter((key) => this.chosen.has(key)).map(cardOf));
  bright = $derived(this.game.view && this.myTurn && CHOOSING.has(this.game.view.phase) ? playable(this.game.view) : null);

  /** Events and rated tables allow no hints. */
  hints = $derived(!this.game.table?.event && !this.game.table?.settings.rated);
  /** A bot's advice, once requested. */
  advice = $derived(this.acts ? (this.game.hint?.candidates[0] ?? null) : null);

  private readonly connection: Connection;
  private readonly pump: Pump<Arrived>;
  /** This connection has sent the table: what follows continues it. */
  private continued = false;
  private readonly answers = new Map<string, (done: boolean) => void>();
  private commands = 0;
  private announcements = 0;
  /** Milliseconds for which a new event stays visible. */
  private quiet = 0;
  private result: ReturnType<typeof setTimeout> | undefined;
  private laying: ReturnType<typeof setTimeout> | undefined;
  private readonly waiting = new WaitingPass(() => this.myTurn && this.view && canPass(this.view) && this.move('pass'));
  private fading: Record<number, ReturnType<typeof setTimeout>> = {};

  constructor(readonly id: string) {
    this.pump = new Pump(
      ({ message, at }) => this.receive(message, at),
      ({ message }) => this.pause(message),
    );
    this.connection = new Connection(() => socketUrl(id, this.game.seq), {
      message: (message) => this.dispatch(message),
      status: (status) => this.connected(status),
    });
  }

  close(): void {
    this.pump.clear();
    clearTimeout(this.result);
    this.waiting.cancel();
    clearTimeout(this.laying);
    Object.values(this.fading).forEach(clearTimeout);
    this.connection.close();
  }

  /** Reconnect as this browser's current player, and load everything again. */
  reconnect(): void {
    this.game = { ...this.game, seq: -1, stale: false };
    this.connection.restart();
  }

  toggle(key: string): void {
    this.decide(toggled(this.raised, key));
  }

  choose(wanted: Iterable<string>): void {
    this.decide(raised(wanted));
  }

  touch(key: string): void {
    const guided = prefs.smart && this.view?.phase === 'play' && this.myTurn;
    this.decide(guided && this.view ? touch(this.view, this.handKeys, this.raised, key) : toggled(this.raised, key));
  }

  play(): void {
    if (this.view && this.selection.length) this.move(commandFor(this.view, this.selection));
  }

  /** Pass by hand. */
  pass(): void {
    const { view } = this;
    if (!view || !canPass(view)) return;
    if (this.myTurn && view.phase === 'play' && cardMoves(view).length) {
      this.waiting.record();
    }
    this.move('pass');
  }

  private passLater(): void {
    const { clocks, clocksAt, table } = this.game;
    const left = clocks?.deadline ? clocks.deadline - clocks.now - (Date.now() - clocksAt) : null;
    const alone = !table?.seats.some((seat) => seat.kind !== 'bot' && seat.kind !== 'open' && seat.seat !== this.me);
    this.waiting.wait(left, alone);
  }

  /** Plan a move for this seat's next turn; planning it again cancels it. */
  ahead(plan: Plan): void {
    if (!this.acts) return;
    this.plan = this.plan === plan ? null : plan;
  }

  move(text: string): void {
    this.send({ type: 'move', move: text });
  }

  next(): void {
    if (this.me !== null && this.view?.phase === 'over' && this.game.table?.status === 'playing') this.send({ type: 'next' });
  }

  /** Ask a bot for a hint. */
  hint(): void {
    if (this.myTurn && this.hints) this.send({ type: 'hint' });
  }

  react(reaction: Reaction['reaction']): void {
    this.ask({ type: 'react', reaction }, () => undefined);
  }

  /** `refused`: called if the server does not accept the message, or its answer is lost. */
  say(text: string, refused: () => void): boolean {
    return this.ask({ type: 'chat', text }, (done) => done || refused());
  }

  /** Whether a player's messages are hidden; one's own never are. */
  mutes({ seat, name }: { seat: number | null; name: string }): boolean {
    const own = seat !== null && seat === this.me && name === this.game.table?.seats[seat]?.name;
    return !own && this.muted.has(name);
  }

  report(message: number): void {
    this.ask({ type: 'report', message }, (done) => {
      if (done) this.reported = new Set([...this.reported, message]);
    });
  }

  /** Choose the next of the legal plays, from the lowest. */
  cycle(): void {
    if (!this.view || !this.myTurn) return;
    const moves = cardMoves(this.view);
    if (!moves.length) {
      this.raise();
      this.remark = t('cycle.none');
      return;
    }
    const i = this.cycled ? this.cycled.i % moves.length : 0;
    const move = moves[i];
    if (!move) return;
    this.choose(keysOf(this.handKeys, move.cards ?? []));
    this.cycled = { i: i + 1, n: moves.length };
    this.speakUp(`${t('cycle.count', this.cycled)}${t('list.colon')}${moveText(move)}`);
  }

  dismiss(): void {
    this.remark = null;
    this.game = { ...this.game, refusal: null };
  }

  /** Hide the advice; its cards stay selected. */
  unadvise(): void {
    this.game = { ...this.game, hint: null };
  }

  /** The opening has been shown, or skipped. */
  opened(): void {
    if (!this.opening) return;
    this.opening = false;
    // Lay out the hand in a separate task, because together with the other changes it would block the page.
    this.laying = setTimeout(() => {
      this.empty = false;
      this.pump.release();
      this.turn();
    });
  }

  /** Select cards by hand: the player does not pass after all. */
  private decide(cards: Raised): void {
    if (!this.acts) return;
    this.waiting.cancel();
    this.raise(cards);
  }

  private raise(cards = raised([])): void {
    this.raised = cards;
    this.cycled = null;
    if (this.plan === 'play') this.plan = null;
  }

  /** Choose and plan nothing: a bot moves. */
  private withdraw(): void {
    this.raise();
    this.plan = null;
  }

  /** A command to the table, whose answer comes as a message; false if it is not sent. */
  send(wanted: Wanted): boolean {
    if (this.busy) return false;
    const id = this.newId();
    this.remark = null;
    this.waiting.cancel();
    const asked = this.connection.send({ ...wanted, id } as ClientMessage);
    if (asked) this.game = sent(this.game, id);
    else this.remark = t('net.wait');
    return asked;
  }

  /** A command that is independent of the game, which does not wait for its answer. */
  private ask(wanted: Wanted, answered: (done: boolean) => void): boolean {
    const id = this.newId();
    const asked = this.connection.send({ ...wanted, id } as ClientMessage);
    if (asked) this.answers.set(id, answered);
    else this.remark = t('net.wait');
    return asked;
  }

  private answer(id: string | null, done: boolean): void {
    if (id === null) return;
    this.answers.get(id)?.(done);
    this.answers.delete(id);
  }

  /** Do not wait for answers that are lost with the connection: the next snapshot shows the effect of a command. */
  private connected(status: Status): void {
    this.status = status;
    this.continued = false;
    if (status === 'open') return;
    if (this.busy) this.game = { ...this.game, pending: null, acked: null };
    for (const answered of this.answers.values()) answered(false);
    this.answers.clear();
  }

  private newId(): string {
    return `c${Date.now().toString(36)}-${this.commands++}`;
  }

  /** Show the player's own move immediately, and the others' at a readable pace. */
  private pause(message: ServerMessage): number {
    if (message.type !== 'update' || news(this.game, message.events)[0]?.seat === this.me) return 0;
    return this.quiet * prefs.pace;
  }

  private dispatch(message: ServerMessage): void {
    const at = Date.now();
    switch (message.type) {
      case 'snapshot': {
        const end = this.continued && ending(this.game, message);
        this.continued = true;
        // Nothing that was said before this page came is new.
        if (this.game.table) this.hear(message.chat);
        if (end) {
          this.pump.push({ message: end, at });
        } else {
          this.pump.clear();
          this.receive(message, at);
        }
        return;
      }
      case 'update':
      case 'table':
        if (!this.continued && message.seq <= this.game.seq) this.again();
        this.continued = true;
        this.pump.push({ message, at });
        return;
      case 'probe':
        this.connection.send({ type: 'probe', n: message.n });
        return;
      case 'reaction': {
        const author = this.game.table?.seats[message.seat];
        if (author && this.mutes(author)) return;
        this.showReaction(message);
        if (author && author.seat !== this.me)
          this.speakUp(`${seatName(author, { you: this.me })}${t('list.colon')}${t(`reaction.${message.reaction}`)}`);
        return;
      }
      case 'chat':
        this.hear(message.lines);
        this.receive(message, at);
        return;
      default:
        this.receive(message, at);
    }
  }

  /** Count and announce what the others have said. */
  private hear(lines: readonly ChatLine[]): void {
    const heard = newLines(this.game, lines).filter((line) => line.seat !== this.me && !this.mutes(line));
    this.unread += heard.length;
    if (heard.length) cue('message');
    for (const { name, text } of heard.slice(-SPOKEN)) this.speakUp(`${personName(name)}${t('list.colon')}${text}`);
  }

  private showReaction(message: Reaction): void {
    const { seat, reaction } = message;
    clearTimeout(this.fading[seat]);
    this.reactions = { ...this.reactions, [seat]: reaction };
    this.fading[seat] = setTimeout(() => {
      const { [seat]: _, ...rest } = this.reactions;
      this.reactions = rest;
    }, REACTION);
  }

  private receive(message: ServerMessage, at: number): void {
    const before = this.game;
    const acted = this.acts;
    this.game = fold(before, message, at);
    const { session } = this.game;
    if (session?.next_commitment) keepCommitment(this.id, session.number + 1, session.next_commitment);
    if (this.game.stale) this.reconnect();
    if (message.type === 'snapshot') this.begin();
    if (message.type === 'update' && this.game !== before) {
      const events = news(before, message.events);
      this.quiet = quietAfter(events);
      const sound = soundOf(this.game, events);
      if (sound) cue(sound);
      for (const text of announced(this.game, events, before.view?.doublings ?? 0)) this.speakUp(text);
      // With two decks a card may remain that equals one of those played.
      const own = events.filter(({ seat, type }) => seat === this.me && CARD_MOVES.has(type));
      const played = new Set(own.flatMap(({ cards }) => cards ?? []));
      if (played.size) this.raise(raised([...this.chosen].filter((key) => !played.has(cardOf(key)))));
    }
    if (acted && !this.acts) this.withdraw();
    if (message.type === 'ack' || message.type === 'error') this.answer(message.id, message.type === 'ack');
    if (message.type === 'hint') this.advised();
    if (this.game.view !== before.view) {
      this.settle(message.type === 'snapshot');
      if (message.type === 'update') {
        // After a lost connection what is new may be no move, such as chat.
        if (acted && !news(before, message.events).length) this.again();
        else this.turn();
      }
    } else if (this.acts && !acted) {
      // The seat was taken back, perhaps during its turn.
      this.turn();
    }
  }

  /** Advice has arrived: select the best move; Enter then plays it. */
  private advised(): void {
    const { hint, table } = this.game;
    const move = hint?.candidates[0]?.move;
    if (!move || !table) {
      if (hint) this.remark = t('hint.none');
      return;
    }
    this.choose(CARD_MOVES.has(move.type) ? keysOf(this.handKeys, move.cards ?? []) : []);
    this.speakUp(adviceText(this.game));
  }

  /** A new hand, or the same one after coming back. */
  private begin(): void {
    const { view, session } = this.game;
    if (!view || !session) return;
    this.raise();
    this.plan = null;
    this.settled = false;
    this.looking = false;
    clearTimeout(this.result);
    const shown = load<string>('opening', '', 'session');
    const now = `${this.id}:${session.number}`;
    if (unmoved(view) && shown !== now && session.opening.length && !prefs.reduced) {
      this.opening = true;
      this.empty = true;
      this.pump.hold();
    } else {
      this.turn();
    }
    save('opening', now, 'session');
  }

  /** Deselect cards that have left the hand, and show the end before the settlement covers it. */
  private settle(atOnce: boolean): void {
    const held = new Set(this.handKeys);
    if ([...this.chosen].some((key) => !held.has(key))) this.raise(raised([...this.chosen].filter((key) => held.has(key))));
    this.cycled = null;
    const { result } = this.view ?? {};
    if (!result || this.settled) return;
    this.raise();
    clearTimeout(this.result);
    this.result = setTimeout(() => this.end(atOnce), atOnce ? 0 : BEFORE_RESULT);
  }

  private end(atOnce: boolean): void {
    this.settled = true;
    const winners = this.view?.result?.winners ?? [];
    if (!atOnce && this.me !== null && winners.length) cue(winners.includes(this.me) ? 'win' : 'lose');
  }

  /** After a lost connection without news: announce this seat's turn again, and the waiting pass goes out. */
  private again(): void {
    const waited = this.waiting.interrupted();
    if (!this.myTurn) return;
    this.speakUp(t('table.yourTurn'));
    cue('turn');
    if (waited) this.passLater();
  }

  /** If it is this seat's turn, announce it and make the planned move. */
  private turn(): void {
    this.waiting.cancel();
    const { view } = this;
    if (!view || !this.myTurn) return;
    this.waiting.begin();
    this.speakUp(t('table.yourTurn'));
    const { plan } = this;
    this.plan = null;
    if (plan === 'pass' && canPass(view)) {
      this.passLater();
      return;
    }
    if (plan === 'play' && view.phase === 'play' && matching(view, this.selection)) {
      this.play();
      return;
    }
    if (plan) this.remark = t('ahead.gone');
    cue('turn');
    if (prefs.autoPass && view.phase === 'play' && canPass(view) && !cardMoves(view).length) this.passLater();
  }

  /** Add a text for screen readers; none is removed before it can be read. */
  private speakUp(text: string | null): void {
    if (text) this.spoken = [...this.spoken.slice(-7), { n: this.announcements++, text }];
  }
}
