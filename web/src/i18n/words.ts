import type { Event, LegalMove, OnTable, OptionInfo, SeatInfo, TableInfo } from '../gen/protocol';
import { botName } from './bots';
import { isHidden, isJoker, rankOf, runFromLow, sameCards, suitOf, type Card } from '../cards/cards';
import { maybe, t, type Key, type Params } from './i18n.svelte';

/** `4 of hearts`. */
export function cardName(card: Card): string {
  if (isHidden(card)) return t('card.hidden');
  if (isJoker(card)) return t(card === 'RJ' ? 'card.RJ' : 'card.BJ');
  const rank = t(`rank.${rankOf(card)}` as Key);
  const suit = t(`suit.${suitOf(card)}` as Key);
  return t('card.name', { rank, suit });
}

/** The names of cards as one phrase: `4 of hearts, 4 of spades`. */
export const cardNames = (cards: readonly Card[]): string => cards.map(cardName).join(t('list.comma'));

/** `Run of 4 pairs`; `n` is the length of a run, `cards` the number of cards. */
export function kindName(kind: string, cards: readonly Card[]): string {
  const per = { 'pair-run': 2, 'triplet-run': 3, 'quad-run': 4 }[kind] ?? 1;
  const params = { n: cards.length / per, cards: cards.length };
  return maybe(`kind.${kind}`, params) ?? kind;
}

/** A text in the words of a preset's players, who may have others: in Dou Dizhu the bidder is the landlord. */
export const inGame = (key: Key, preset: string, params: Params = {}): string =>
  maybe(`${key}.${preset}`, params) ?? t(key, params);

export const bidderName = (preset: string): string => inGame('seat.bidder', preset);

/** A role in finished hands. */
export const roleName = (preset: string, role: string): string =>
  role === 'bidder' ? bidderName(preset) : (maybe(`profile.role.${role}`) ?? role);

export const presetTitle = (name: string, title: string): string => maybe(`preset.${name}`) ?? title;

const spaced = (name: string): string => {
  const text = name.replaceAll(/[-_]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export const optionName = (option: Pick<OptionInfo, 'name'>): string => maybe(`option.${option.name}`) ?? spaced(option.name);

/** The help of an option; in English if the catalogue lacks it. */
export const optionHelp = (option: Pick<OptionInfo, 'name' | 'help'>): string => maybe(`help.${option.name}`) ?? option.help;

export function choiceName(option: string, value: boolean | number | string): string {
  if (typeof value === 'boolean') return t(value ? 'choice.yes' : 'choice.no');
  const own = maybe(`choice.${option}.${value}`);
  if (typeof value === 'number') return own ?? t('choice.number', { n: value });
  return own ?? maybe(`choice.${value}`) ?? spaced(value);
}

/** A person's name; the server names players without one "Guest" and the number of the seat, deleted ones "Former player". */
export function personName(name: string): string {
  if (name === 'Former player') return t('seat.former');
  const guest = /^Guest(?: (\d+))?$/.exec(name);
  return guest ? [t('join.name.guest'), guest[1] ?? ''].join(' ').trim() : name;
}

export function seatName(seat: Pick<SeatInfo, 'seat' | 'name' | 'kind'> | undefined, table: Pick<TableInfo, 'you'>): string {
  if (!seat) return '?';
  if (seat.kind === 'open') return t('seat.open');
  if (seat.seat === table.you) return t('seat.you');
  return seat.kind === 'bot' ? botName(seat.name) : personName(seat.name);
}

/**
 * By seat, for narrow columns: the last word of a bot's name, unless another player has the same. A number stays with its
 * word: at tables of earlier versions, bots have numbers.
 */
export function shortNames(names: readonly string[], seats: readonly Pick<SeatInfo, 'seat' | 'kind'>[]): string[] {
  const bots = new Set(seats.flatMap(({ seat, kind }) => (kind === 'bot' ? [seat] : [])));
  const short = names.map((name, seat) => (bots.has(seat) ? (/\S+(?: \d+)?$/.exec(name)?.[0] ?? name) : name));
  return names.map((name, seat) => (short.filter((one) => one === short[seat]).length > 1 ? name : (short[seat] ?? name)));
}

export function shortName(seat: SeatInfo, table: TableInfo): string {
  const names = table.seats.map((one) => seatName(one, table));
  return shortNames(names, table.seats)[seat.seat] ?? seatName(seat, table);
}

/** Events whose sentence depends on whether their cards may be seen. */
const MAY_BE_HIDDEN = new Set(['kitty', 'open', 'offer']);

/** Whether an event takes up the one card that is left after the deal, in Big Two for three, not a kitty. */
export const isLeftOver = (event: Event): boolean => event.type === 'kitty' && event.cards?.length === 1;

/**
 * An event as a sentence, for the log and for screen readers; null if it needs none. `top`: the play it may have made;
 * `bidding`: whether it is of the auction: some languages have other words for its passes, and for who opens it.
 */
export function sentence(event: Event, table: TableInfo, top: OnTable | null = null, bidding = false): string | null {
  const you = event.seat !== null && event.seat === table.you;
  const name = event.seat === null ? '' : seatName(table.seats[event.seat], table);
  const held = event.cards?.some((card) => !isHidden(card)) ? event.cards : [];
  const cards = cardNames(event.type === 'play' ? runFromLow(held) : held);
  const named = event.type === 'play' && top !== null && sameCards(top.cards, event.cards ?? []);
  const pass = event.type === 'pass' && bidding ? '.auction' : '';
  const suffix = cards && MAY_BE_HIDDEN.has(event.type) ? '.cards' : named ? '.kind' : pass;
  const type = event.type === 'open' && !bidding ? 'begin' : isLeftOver(event) ? 'leftover' : event.type;
  const key = `event.${type}${suffix}`;
  const kind = named ? kindName(top.kind, top.cards) : '';
  const params = { name, cards, kind, bid: event.bid ?? 0 };
  return (you ? maybe(`${key}.you`, params) : null) ?? maybe(key, params);
}

/** A move in words, for advice and reviews: `Pair: 9 of hearts, 9 of spades`, `Pass`, `Bid 2`. */
export function moveText(move: LegalMove, bidding = false): string {
  const cards = cardNames(runFromLow(move.cards ?? []));
  switch (move.type) {
    case 'pass':
      return t(bidding ? 'act.pass.auction' : 'act.pass');
    case 'bid':
      return t('act.bid', { n: move.bid ?? 0 });
    case 'play':
      return move.kind ? `${kindName(move.kind, move.cards ?? [])}${t('list.colon')}${cards}` : cards;
    default:
      return `${t(`act.${move.type}`)}${t('list.colon')}${cards}`;
  }
}
