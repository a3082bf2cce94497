import type {
  Advice,
  BiddingHand,
  BidHistory,
  BidVerdict,
  BotInfo,
  CreateEvent,
  CreateTable,
  DealPar,
  EventCancelled,
  EventCreated,
  EventDetail,
  EventPlayed,
  EventStandings,
  EventSummary,
  EventToday,
  Friends,
  Group,
  GroupDoor,
  GroupGone,
  GroupJoined,
  GroupList,
  GroupRules,
  GroupStandings,
  Habits,
  HandInfo,
  History,
  HistoryChoices,
  Invitation,
  Invited,
  Joined,
  Ladder,
  LadderBoard,
  LettersChanged,
  Lobby,
  Me,
  Moderate,
  ModerationPage,
  NotificationSettings,
  NotificationWishes,
  PasskeyAnswer,
  PasskeyListed,
  PasskeyOptions,
  PersonalLink,
  PlaceShown,
  PositionValue,
  PresetInfo,
  Profile,
  Promise as Promised,
  PuzzleInfo,
  PuzzleList,
  PuzzleVerdict,
  PushSubscribe,
  QuickMatch,
  QuickMatched,
  RatingPoint,
  Reminder,
  ReviewNotes,
  RulesInfo,
  SessionListed,
  SharedReview,
  TableCreated,
  TableInfo,
  TableSummary,
  TurningPoint,
} from '../gen/protocol';
import { t } from '../i18n/i18n.svelte';
import { refusalText, type Refusal } from './refusal';
import { keepCommitment } from '../browser/commitments';

/** The server refused: `message` is for the player, `id` names it in the catalogue. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly clause: string | null = null,
    readonly id: string | null = null,
  ) {
    super(message);
  }
}

/** An error message for the player: the server's sentence, or that the server does not answer. */
export const problemText = (error: unknown): string => (error instanceof ApiError ? error.message : t('start.unreachable'));

/** The same for a page whose subject may not exist. */
export const missingText = (error: unknown): string =>
  error instanceof ApiError && error.status === 404 ? t('page.missing') : problemText(error);

/** Whether the same request may succeed soon: the server cannot be reached, restarts or has too much to do. */
export const passing = (error: unknown): boolean => !(error instanceof ApiError) || error.status === 429 || error.status >= 500;

/** Why a page shows nothing. `final`: a retry would be refused again, as there is no such thing, this player may not see it, or it is damaged. */
export interface Failure {
  text: string;
  final: boolean;
}

export const failure = (error: unknown, text = problemText(error)): Failure => ({
  text,
  final: error instanceof ApiError && [400, 403, 404, 410].includes(error.status),
});

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(path, { credentials: 'same-origin', ...init });
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
  throw await refusalOf(response);
}

async function refusalOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as Partial<Refusal> | null;
  if (!body?.code || body.message === undefined) return new ApiError(response.status, t('start.unreachable'));
  const { code, clause = null, message, wording = null } = body;
  return new ApiError(response.status, refusalText({ code, clause, message, wording }), clause, wording?.id ?? null);
}

const send = <T>(path: string, body: unknown, method = 'POST'): Promise<T> =>
  ask(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

let greeting: Promise<unknown> | null = null;

/** Send a request whose answer brings a cookie, by which the server knows the player from then on. */
async function withCookie<T>(request: () => Promise<T>): Promise<T> {
  if (navigator.cookieEnabled === false) throw new ApiError(0, t('net.cookies'));
  return request();
}

/**
 * Send a request as a player. Two tabs without a cookie that did so at once would be two players, and one would be lost: tabs
 * get the cookie in turn, so that the second tab uses the first one's.
 */
function asPlayer<T>(request: () => Promise<T>): Promise<T> {
  return withCookie(async () => {
    const greet = (): Promise<Me> => send('/api/me', {});
    // Browsers have no locks on pages that come over plain HTTP from another machine.
    greeting ??= (navigator.locks ? navigator.locks.request('dasan.player', greet) : greet()).catch(() => (greeting = null));
    await greeting;
    return request();
  });
}

/** Announce that the browser is now another player, or nobody. */
async function another<T>(request: Promise<T>): Promise<T> {
  greeting = null;
  return request;
}

const id = encodeURIComponent;
const query = (values: Record<string, string | number | boolean | undefined | null>): string => {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : '';
};

export const presets = (): Promise<PresetInfo[]> => ask('/api/presets');
export const bots = (): Promise<BotInfo[]> => ask('/api/bots');
export const myTables = (): Promise<TableSummary[]> => ask('/api/tables');
export const lobby = (): Promise<Lobby> => ask('/api/lobby');

/**
 * Open a table whose first deal the server has committed to before it knew the table; the commitment is stored for checking
 * that deal afterwards.
 */
export async function createTable(wanted: CreateTable): Promise<TableCreated> {
  const promise = await send<Promised>('/api/promises', {}).catch(() => null);
  const made = await asPlayer(() => send<TableCreated>('/api/tables', promise ? { ...wanted, ticket: promise.ticket } : wanted));
  if (promise) keepCommitment(made.id, 1, promise.commitment);
  return made;
}
export const quickMatch = (wanted: QuickMatch): Promise<QuickMatched> => asPlayer(() => send('/api/quick', wanted));
/** Sent even while the page is being closed. */
export const leaveQuick = (): Promise<QuickMatched> => ask('/api/quick/leave', { method: 'POST', keepalive: true });
export const forgetTable = (table: string): Promise<unknown> => send(`/api/tables/${id(table)}/forget`, {});
export const joinTable = (table: string, name: string | null, seat: number | null): Promise<Joined> =>
  asPlayer(() => send(`/api/tables/${id(table)}/join`, { name, seat }));

export const rules = (preset: string, options: TableInfo['options'] = {}, lang = 'en'): Promise<RulesInfo> =>
  ask(`/api/rules/${id(preset)}${query({ ...options, lang })}`);

export const me = (): Promise<Me> => ask('/api/me');
export const rename = (name: string): Promise<Me> => asPlayer(() => send('/api/me/name', { name }));
export const myProfile = (): Promise<Profile> => ask('/api/me/profile');
export const register = (name: string, password: string): Promise<Me> =>
  withCookie(() => send('/api/account', { name, password }));
export const signIn = (name: string, password: string): Promise<Me> => withCookie(() => send('/api/sign-in', { name, password }));
export const signOut = (everywhere: boolean): Promise<Me> => another(send(`/api/sign-out${query({ everywhere })}`, {}));
export const deleteAccount = (password: string | null): Promise<Me> => another(send('/api/account/delete', { password }));
export const changePassword = (old: string | null, wanted: string): Promise<Me> =>
  send('/api/account/password', { old, new: wanted });
export const sessions = (): Promise<SessionListed[]> => ask('/api/sessions');
export const endSession = (session: string): Promise<SessionListed[]> => send(`/api/sessions/${id(session)}/sign-out`, {});
export const passkeys = (): Promise<PasskeyListed[]> => ask('/api/passkeys');
export const removePasskey = (passkey: string): Promise<PasskeyListed[]> => send(`/api/passkeys/${id(passkey)}/remove`, {});
export const askPasskey = (name: string | null): Promise<PasskeyOptions> =>
  withCookie(() => send('/api/passkeys/options', { name }));
export const keepPasskey = (answer: PasskeyAnswer): Promise<Me> => send('/api/passkeys', answer);
export const askPasskeySignIn = (): Promise<PasskeyOptions> => withCookie(() => send('/api/passkeys/sign-in/options', {}));
export const signInByPasskey = (answer: PasskeyAnswer): Promise<Me> => send('/api/passkeys/sign-in', answer);
export const habits = (): Promise<Habits[]> => ask('/api/me/habits');
/** `who`: an account's name, null for oneself. */
export const ratingChart = (who: string | null, preset: string, players: number): Promise<RatingPoint[]> =>
  ask(`/api/${who === null ? 'me' : `people/${id(who)}`}/ratings/${id(preset)}/${players}`);
export const personalLink = (): Promise<PersonalLink> => send('/api/me/link', {});
export const claimLink = (token: string): Promise<Me> => withCookie(() => send('/api/me/claim', { token }));
export type HandFilter = Partial<Record<'preset' | 'role' | 'bid' | 'result' | 'opponent' | 'turning', string>>;
export const history = (wanted: HandFilter, before: string | null): Promise<History> =>
  ask(`/api/me/history${query({ ...wanted, before })}`);
export const historyChoices = (): Promise<HistoryChoices> => ask('/api/me/history/choices');
export const profile = (name: string): Promise<Profile> => ask(`/api/people/${id(name)}`);

export const friends = (): Promise<Friends> => ask('/api/friends');
const towards =
  (what: string) =>
  (name: string): Promise<Friends> =>
    send(`/api/friends/${id(name)}/${what}`, {});
export const follow = towards('follow');
export const unfollow = towards('unfollow');
export const block = towards('block');
export const unblock = towards('unblock');
export const invitations = (): Promise<Invitation[]> => ask('/api/invitations');
export const declineInvitation = (table: string): Promise<Invitation[]> => send(`/api/invitations/${id(table)}/decline`, {});
export const invitedTo = (table: string): Promise<Invited> => ask(`/api/tables/${id(table)}/invited`);
export const inviteFriend = (table: string, name: string): Promise<Invited> => send(`/api/tables/${id(table)}/invite`, { name });

export const notifications = (): Promise<NotificationSettings> => ask('/api/notifications');
export const wishNotifications = (wishes: NotificationWishes): Promise<NotificationSettings> =>
  send('/api/notifications', wishes);
export const pushSubscribe = (subscription: PushSubscribe): Promise<NotificationSettings> =>
  send('/api/notifications/browsers', subscription);
export const pushUnsubscribe = (browser: string): Promise<NotificationSettings> =>
  send('/api/notifications/browsers/remove', { id: browser });
/** Send a confirmation e-mail to an address; null: stop e-mails. */
export const letterAddress = (address: string | null): Promise<NotificationSettings> =>
  send('/api/notifications/address', { address });
export const confirmLetters = (token: string): Promise<LettersChanged> => send(`/api/letters/${id(token)}/confirm`, {});
export const stopLetters = (token: string): Promise<LettersChanged> => send(`/api/letters/${id(token)}/unsubscribe`, {});
export const eventReminder = (event: string): Promise<Reminder> => ask(`/api/events/${id(event)}/reminder`);
export const remindOfEvent = (event: string, wanted: boolean): Promise<Reminder> =>
  send(`/api/events/${id(event)}/reminder`, { wanted });

export const groups = (): Promise<GroupList> => ask('/api/groups');
export const createGroup = (name: string): Promise<Group> => send('/api/groups', { name });
export const group = (group: string): Promise<Group> => ask(`/api/groups/${id(group)}`);
export const groupStandings = (group: string): Promise<GroupStandings> => ask(`/api/groups/${id(group)}/standings`);
export const openGroupTable = (group: string): Promise<TableCreated> => send(`/api/groups/${id(group)}/tables`, {});
export const renameGroup = (group: string, name: string): Promise<Group> => send(`/api/groups/${id(group)}/rename`, { name });
export const setGroupRules = (group: string, rules: GroupRules): Promise<Group> => send(`/api/groups/${id(group)}/rules`, rules);
export const changeGroupMember = (group: string, change: 'host' | 'remove', name: string): Promise<Group> =>
  send(`/api/groups/${id(group)}/members/${change}`, { name });
export const newGroupLink = (group: string): Promise<Group> => send(`/api/groups/${id(group)}/link`, {});
export const leaveGroup = (group: string): Promise<GroupGone> => send(`/api/groups/${id(group)}/leave`, {});
export const deleteGroup = (group: string): Promise<GroupGone> => send(`/api/groups/${id(group)}/delete`, {});
export const sayInGroup = (group: string, text: string): Promise<Group> => send(`/api/groups/${id(group)}/chat`, { text });
export const reportInGroup = (group: string, line: number): Promise<Group> => send(`/api/groups/${id(group)}/report`, { line });
/** The group to which a link leads. */
export const groupDoor = (link: string): Promise<GroupDoor> => ask(`/api/join/${id(link)}`);
export const joinGroup = (link: string): Promise<GroupJoined> => send(`/api/join/${id(link)}`, {});

export const hand = (hand: string): Promise<HandInfo> => ask(`/api/hands/${id(hand)}`);
export const handRecordUrl = (hand: string): string => `/api/hands/${id(hand)}/record`;
export const position = (hand: string, seq: number, moves: string[]): Promise<PositionValue> =>
  send(`/api/hands/${id(hand)}/solve`, { seq, moves });

export const advice = (hand: string, seq: number): Promise<Advice> => ask(`/api/hands/${id(hand)}/advice${query({ seq })}`);

export const ladders = (): Promise<LadderBoard[]> => ask('/api/ladder');
export const ladder = (preset: string, players: number): Promise<Ladder> => ask(`/api/ladder/${id(preset)}/${players}`);

export const eventToday = (): Promise<EventToday> => ask('/api/events/today');
export const events = (): Promise<EventSummary[]> => ask('/api/events');
export const eventDetail = (event: string): Promise<EventDetail> => ask(`/api/events/${id(event)}`);
export const eventStandings = (event: string): Promise<EventStandings> => ask(`/api/events/${id(event)}/standings`);
/** The result of best play in a deal that the player has finished. */
export const dealPar = (event: string, deal: number): Promise<DealPar> => ask(`/api/events/${id(event)}/deals/${deal}/par`);
export const createEvent = (wanted: CreateEvent): Promise<EventCreated> => asPlayer(() => send('/api/events', wanted));
export const cancelEvent = (event: string): Promise<EventCancelled> => send(`/api/events/${id(event)}/cancel`, {});
/** The table of the next deal; polls every other second until there is one. */
export const playEvent = (event: string): Promise<EventPlayed> => asPlayer(() => send(`/api/events/${id(event)}/play`, {}));

export const puzzles = (wanted: { theme?: string; grade?: number; game?: string; offset?: number }): Promise<PuzzleList> =>
  ask(`/api/puzzles${query(wanted)}`);
export const puzzle = (puzzle: string): Promise<PuzzleInfo> => ask(`/api/puzzles/${id(puzzle)}`);
export const dailyPuzzle = (): Promise<PuzzleInfo> => ask('/api/puzzles/today');
export const answerPuzzle = (puzzle: string, moves: string[]): Promise<PuzzleVerdict> =>
  send(`/api/puzzles/${id(puzzle)}/answer`, { moves });

/** A hand to bid on: the same one until the player has bid. */
export const biddingHand = (preset: string): Promise<BiddingHand> => asPlayer(() => send(`/api/bidding/${id(preset)}`, {}));
export const answerBid = (preset: string, hand: string, bid: string): Promise<BidVerdict> =>
  send(`/api/bidding/${id(preset)}/hands/${id(hand)}`, { bid });
export const bidHistory = (preset: string): Promise<BidHistory> => ask(`/api/bidding/${id(preset)}`);

export async function text(path: string): Promise<string> {
  const response = await fetch(path, { credentials: 'same-origin' });
  if (!response.ok) throw await refusalOf(response);
  return response.text();
}

/** Read JSON lines as they arrive. */
export async function* lines<T>(path: string, signal: AbortSignal): AsyncGenerator<T> {
  const response = await fetch(path, { credentials: 'same-origin', signal });
  if (!response.ok || !response.body) throw await refusalOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part.trim()) yield JSON.parse(part) as T;
  }
  if (rest.trim()) yield JSON.parse(rest) as T;
}

export const recordUrl = (table: string): string => `/api/tables/${id(table)}/record`;
export const knownUrl = (hand: string): string => `/api/hands/${id(hand)}/known`;
export const pictureUrl = (hand: string, seq: number | null): string => `/api/hands/${id(hand)}/picture${query({ seq })}`;
/** The player's notes on a hand: all pages of them. */
export async function notes(hand: string): Promise<ReviewNotes['notes']> {
  const all: ReviewNotes['notes'] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: ReviewNotes = await ask(`/api/hands/${id(hand)}/notes${query({ after: after || undefined })}`);
    all.push(...page.notes);
    after = page.next;
  }
  return all;
}
export const keepNote = (hand: string, seq: number, text: string): Promise<ReviewNotes> =>
  asPlayer(() => send(`/api/hands/${id(hand)}/notes`, { seq, text }));
export const watchTogether = (hand: string, place: PlaceShown): Promise<SharedReview> =>
  asPlayer(() => send(`/api/hands/${id(hand)}/together`, place));
/** The turning point of a finished hand, if the server found it in time. */
export const turningPoint = (hand: string): Promise<TurningPoint> => ask(`/api/hands/${id(hand)}/turning`);
export const reviewUrl = (hand: string): string => `/api/hands/${id(hand)}/review`;

/** The table's socket; `seq`: the last entry that this page has seen, -1 if none. */
export const socketUrl = (table: string, seq = -1): string =>
  `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws/tables/${id(table)}${seq >= 0 ? `?seq=${seq}` : ''}`;

export const togetherUrl = (shared: string): string =>
  `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws/reviews/${id(shared)}`;

/** The moderators' page; refused to others. */
export const moderation = (): Promise<ModerationPage> => ask('/api/moderation');
/** Carry out one action of a moderator. */
export const moderate = (action: Moderate['action']): Promise<ModerationPage> => send('/api/moderation', { action });
