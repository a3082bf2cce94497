/**
 * Repeats a deal from the server's commitment: docs/guide/fairness.md describes every step. It uses only the browser's
 * SHA-256, SHA-512 and HMAC, and asks the server nothing.
 */

const encoder = new TextEncoder();
type Bytes = Uint8Array<ArrayBuffer>;

const fromHex = (text: string): Bytes => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
export const toHex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

function joined(...parts: Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A number as eight bytes, the highest first. */
function eight(n: number): Bytes {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(n));
  return bytes;
}

const framed = (part: Uint8Array): Bytes => joined(eight(part.length), part);

/** SHA-256 of the secret: what the server publishes before the deal. */
export async function commitment(secret: Bytes): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', secret)));
}

/** The 128 bytes that decide a deal. */
export async function dealSeed(secret: Bytes, contributions: readonly string[], digest: string, hand: number): Promise<Bytes> {
  const texts = contributions.map((text) => encoder.encode(text));
  const tail = joined(...[secret, encoder.encode(digest), eight(hand), ...texts].map(framed));
  const halves = [0, 1].map((i) =>
    crypto.subtle.digest('SHA-512', joined(framed(encoder.encode('dasan deal 1')), framed(Uint8Array.of(i)), tail)),
  );
  return joined(...(await Promise.all(halves)).map((half) => new Uint8Array(half)));
}

/** Random bytes from a seed, one after the other. */
async function stream(seed: Bytes): Promise<(n: number) => Promise<number>> {
  const key = await crypto.subtle.importKey('raw', seed.slice(0, 64), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  let block: number[] = [];
  let counter = 0;
  const next = async (): Promise<number> => {
    if (!block.length)
      block = [...new Uint8Array(await crypto.subtle.sign('HMAC', key, joined(eight(counter++), seed.slice(64))))];
    return block.shift() ?? 0;
  };
  /** A number below `n`, for n from 2 to 256. */
  return async (n) => {
    const mask = 2 ** Math.ceil(Math.log2(n));
    for (;;) {
      const number = (await next()) % mask;
      if (number < n) return number;
    }
  };
}

export function freshPack(decks: number, jokers: boolean): string[] {
  const cards = [...'3456789TJQKA2'].flatMap((rank) => [...'DCHS'].map((suit) => rank + suit));
  if (jokers) cards.push('BJ', 'RJ');
  return cards.flatMap((card) => Array.from({ length: decks }, () => card));
}

export interface Dealing {
  /** The fresh pack. */
  pack: readonly string[];
  players: number;
  dealer: number;
  /** Cards each player gets; null: the whole pack is dealt. */
  each: number | null;
  cut: boolean;
}

export interface Dealt {
  /** The pack after the shuffle, before the cut. */
  pack: string[];
  /** The place of the cut; 0: not cut. */
  cut: number;
  hands: string[][];
  rest: string[];
}

/** Shuffle, cut and deal. */
export async function deal(seed: Bytes, how: Dealing): Promise<Dealt> {
  const below = await stream(seed);
  const pack = [...how.pack];
  for (let i = 0; i < pack.length - 1; i++) {
    const j = i + (await below(pack.length - i));
    [pack[i], pack[j]] = [pack[j] ?? '', pack[i] ?? ''];
  }
  const cut = how.cut ? 1 + (await below(pack.length - 1)) : 0;
  const deck = [...pack.slice(cut), ...pack.slice(0, cut)];
  const dealt = how.each === null ? deck.length : how.each * how.players;
  const hands = Array.from({ length: how.players }, (_, seat) =>
    deck.slice(0, dealt).filter((_, i) => (how.dealer + i) % how.players === seat),
  );
  return { pack, cut, hands, rest: deck.slice(dealt) };
}

export interface Check {
  step: 'published' | 'secret' | 'strings' | 'hands';
  ok: boolean | null;
  /** The comparisons. */
  detail: string;
}

interface Line {
  type?: string;
  number?: number;
  dealer?: number;
  hands?: string[];
  kitty?: string;
  secret?: string;
  commitment?: string;
  contributions?: string[];
  rules?: { digest: string; options: Record<string, unknown> };
}

/** Repeat the deal of a finished hand's record. `published`: the commitment this page was shown before the deal. */
export async function check(
  record: string,
  how: Pick<Dealing, 'players' | 'each'> & { decks: number; jokers: boolean; leftOut: readonly string[] },
  published: string | null,
): Promise<{ checks: Check[]; dealt: Dealt | null }> {
  const lines = record
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  const header = lines[0];
  const dealing = lines.find((line) => line.type === 'deal');
  const reveal = lines.find((line) => line.type === 'reveal' && line.secret);
  const checks: Check[] = [];
  if (!dealing?.commitment || !header?.rules) return { checks, dealt: null };
  checks.push({
    step: 'published',
    ok: published === null ? null : published === dealing.commitment,
    detail: dealing.commitment,
  });
  if (!reveal?.secret) return { checks: [...checks, { step: 'secret', ok: null, detail: '' }], dealt: null };
  const secret = fromHex(reveal.secret);
  checks.push({ step: 'secret', ok: (await commitment(secret)) === dealing.commitment, detail: reveal.secret });
  const strings = dealing.contributions ?? [];
  checks.push({ step: 'strings', ok: true, detail: strings.filter(Boolean).join(' · ') });
  const seed = await dealSeed(secret, strings, header.rules.digest, dealing.number ?? 1);
  const dealt = await deal(seed, {
    ...how,
    pack: freshPack(how.decks, how.jokers).filter((card) => !how.leftOut.includes(card)),
    dealer: dealing.dealer ?? 0,
    cut: header.rules.options.cut === true,
  });
  const same = (a: readonly string[], b: string | undefined): boolean =>
    [...a].sort().join(' ') === (b ?? '').split(' ').filter(Boolean).sort().join(' ');
  const ok = dealt.hands.every((hand, seat) => same(hand, dealing.hands?.[seat])) && same(dealt.rest, dealing.kitty);
  checks.push({ step: 'hands', ok, detail: '' });
  return { checks, dealt };
}
