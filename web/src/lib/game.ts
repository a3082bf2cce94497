import type { Event, ServerMessage, SessionInfo, TableInfo, View } from '../gen/protocol';

export interface Refusal {
  clause: string | null;
  code: string;
  message: string;
}

/** What this client knows of one table: the fold of the server's messages. */
export interface Game {
  seq: number;
  table: TableInfo | null;
  session: SessionInfo | null;
  view: View | null;
  /** The command that has no answer yet, or whose effect is not shown yet. */
  pending: string | null;
  /** Where the table stands after that command, once the server has said so. */
  acked: number | null;
  /** Why the last command was refused, until the next one. */
  refusal: Refusal | null;
  /** An event is missing: ask for a new snapshot. */
  stale: boolean;
}

export const NOTHING: Game = {
  seq: -1,
  table: null,
  session: null,
  view: null,
  pending: null,
  acked: null,
  refusal: null,
  stale: false,
};

/** The game after one more message; the old one is left as it was. */
export function fold(game: Game, message: ServerMessage): Game {
  switch (message.type) {
    case 'snapshot': {
      const { seq, table, session, view } = message;
      return { ...game, seq, table, session, view, pending: null, acked: null, stale: false };
    }
    case 'update': {
      if (!game.view || message.seq <= game.seq) return game;
      const events = joined(game.view.events, message.events);
      if (!events) return { ...game, stale: true };
      const { seq } = message;
      const session = message.session ?? game.session;
      const table = message.table ?? game.table;
      const shown = game.acked !== null && seq >= game.acked;
      const pending = shown ? null : game.pending;
      return { ...game, seq, table, session, view: { ...message.view, events }, pending, acked: shown ? null : game.acked };
    }
    case 'ack':
      // Updates are shown at a human pace: until this one is, the view is of before the command.
      if (message.id !== game.pending) return game;
      return message.seq > game.seq ? { ...game, acked: message.seq } : { ...game, pending: null };
    case 'error': {
      const { code, clause, message: text } = message;
      const pending = message.id === game.pending ? null : game.pending;
      return { ...game, pending, refusal: { code, clause, message: text } };
    }
    case 'table':
      return message.seq > game.seq ? { ...game, seq: message.seq, table: message.table, session: message.session } : game;
    case 'chat':
      return { ...game, seq: Math.max(game.seq, message.seq) };
    default:
      return game;
  }
}

/** The game while a command is on its way. */
export const sent = (game: Game, id: string): Game => ({ ...game, pending: id, acked: null, refusal: null });

/** Old and new events in one list without repetitions, or null where some are missing. */
function joined(old: readonly Event[], fresh: readonly Event[]): Event[] | null {
  const last = old.at(-1)?.seq;
  const news = last === undefined ? fresh : fresh.filter((event) => event.seq > last);
  const first = news[0];
  if (last !== undefined && first && first.seq !== last + 1) return null;
  return [...old, ...news];
}
