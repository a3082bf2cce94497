import type {
  ChatLine,
  ClockInfo,
  Event,
  Hint,
  Presence,
  RulesFacts,
  ServerMessage,
  SessionInfo,
  Snapshot,
  TableInfo,
  Update,
  View,
} from '../gen/protocol';
import type { Refusal } from '../server/refusal';

/** This client's state of one table: the fold of the server's messages. */
export interface Game {
  seq: number;
  table: TableInfo | null;
  rules: RulesFacts | null;
  session: SessionInfo | null;
  /** The hand at the table; null before the first is dealt. */
  view: View | null;
  clocks: ClockInfo | null;
  /** This browser's clock when `clocks` arrived. */
  clocksAt: number;
  presence: Presence[];
  watching: number;
  chat: ChatLine[];
  /** Advice for the position on the screen. */
  hint: Hint | null;
  /** The command that has no answer yet, or whose effect is not shown yet. */
  pending: string | null;
  /** The table's `seq` after that command, once the server has sent it. */
  acked: number | null;
  /** The refusal of the last command, until the next one. */
  refusal: Refusal | null;
  /** An event is missing: request a new snapshot. */
  stale: boolean;
}

export const NOTHING: Game = {
  seq: -1,
  table: null,
  rules: null,
  session: null,
  view: null,
  clocks: null,
  clocksAt: 0,
  presence: [],
  watching: 0,
  chat: [],
  hint: null,
  pending: null,
  acked: null,
  refusal: null,
  stale: false,
};

/** Chat that is kept. */
const CHAT = 200;

/** The state of the pending command once the table is at `seq`. */
function shown(game: Game, seq: number): Pick<Game, 'pending' | 'acked'> {
  const done = game.acked !== null && seq >= game.acked;
  return { pending: done ? null : game.pending, acked: done ? null : game.acked };
}

/** The game after one more message, which arrived at `clocksAt`; the old one is unchanged. */
export function fold(game: Game, message: ServerMessage, clocksAt = Date.now()): Game {
  switch (message.type) {
    case 'snapshot': {
      const { seq, table, rules, session, view, clocks, presence, watching, chat } = message;
      return {
        ...game,
        seq,
        table,
        rules,
        session,
        view,
        clocks,
        clocksAt,
        presence,
        watching,
        chat,
        hint: null,
        pending: null,
        acked: null,
        stale: false,
      };
    }
    case 'update': {
      if (!game.view || message.seq <= game.seq) return game;
      const events = joined(game.view.events, message.events);
      if (!events) return { ...game, stale: true };
      const { seq, clocks } = message;
      const session = message.session ?? game.session;
      const table = message.table ?? game.table;
      const view = { ...message.view, events };
      return { ...game, ...shown(game, seq), seq, table, session, view, clocks, clocksAt, hint: null };
    }
    case 'table': {
      if (message.seq <= game.seq) return game;
      const { seq, table, session, clocks } = message;
      return { ...game, ...shown(game, seq), seq, table, session, clocks, clocksAt };
    }
    case 'chat':
      // `seq` stays: earlier moves may still wait to be shown.
      return { ...game, chat: [...game.chat, ...newLines(game, message.lines)].slice(-CHAT) };
    case 'presence':
      return { ...game, presence: message.presence, watching: message.watching };
    case 'hint':
      return {
        ...game,
        hint: message.seq >= game.seq ? message : null,
        pending: message.id === game.pending ? null : game.pending,
      };
    case 'ack':
      // Updates are shown at a human pace: until this one is shown, the view is older than the command.
      if (message.id !== game.pending) return game;
      return message.seq > game.seq ? { ...game, acked: message.seq } : { ...game, pending: null };
    case 'error': {
      const { code, clause, message: text, wording } = message;
      const pending = message.id === game.pending ? null : game.pending;
      return { ...game, pending, refusal: { code, clause, message: text, wording } };
    }
    default:
      // Messages that are not about the game, and those of newer servers.
      return game;
  }
}

/** The game while a command is pending. */
export const sent = (game: Game, id: string): Game => ({ ...game, pending: id, acked: null, refusal: null });

/**
 * The update that a snapshot amounts to if it ends the hand on the screen, or null. The end reveals cards, which changes old
 * events, so the server sends everything.
 */
export function ending(game: Game, { seq, table, session, view, clocks }: Snapshot): Update | null {
  if (!game.view || game.view.result || !view?.result || session.number !== game.session?.number) return null;
  const { events, ...state } = view;
  return { type: 'update', seq, events, view: state, clocks, session, table };
}

/** The events that the game does not have yet. */
export function news(game: Game, events: readonly Event[]): Event[] {
  const last = game.view?.events.at(-1)?.seq ?? -1;
  return events.filter((event) => event.seq > last);
}

/** The lines of chat that the game does not have yet: after a lost connection the server sends lines again. */
export function newLines(game: Game, lines: readonly ChatLine[]): ChatLine[] {
  const known = new Set(game.chat.map((line) => line.seq));
  return lines.filter((line) => !known.has(line.seq));
}

/** Old and new events in one list, the new ones in place of old ones with their numbers; null if some are missing. */
function joined(old: readonly Event[], fresh: readonly Event[]): Event[] | null {
  const [last, first] = [old.at(-1), fresh[0]];
  if (!first) return [...old];
  if (last && first.seq > last.seq + 1) return null;
  return [...old.filter((event) => event.seq < first.seq), ...fresh];
}
