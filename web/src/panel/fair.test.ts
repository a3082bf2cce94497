import { describe, expect, it } from 'vitest';
import { check, commitment, deal, dealSeed, freshPack, toHex } from './fair';

const secret = Uint8Array.from({ length: 128 }, (_, i) => i);
const how = { decks: 1, jokers: false, leftOut: [], players: 3, each: 16 };

/** The test vector of docs/guide/fairness.md. */
describe('a deal made again', () => {
  it('has the seed, the cut and the hands of the manual', async () => {
    expect(await commitment(secret)).toBe('471fb943aa23c511f6f72f8d1652d9c880cfa392ad80503120547703e56a2be5');
    const seed = await dealSeed(secret, ['tea', '', '大三'], '5f'.repeat(32), 3);
    expect(toHex(seed).slice(0, 32)).toBe('b2dfe5f1fcb629db789efa0d09f52cb0');
    const { cut, hands, rest, pack } = await deal(seed, { ...how, pack: freshPack(1, false), dealer: 0, cut: true });
    const order = freshPack(1, false);
    const written = (cards: string[]): string => [...cards].sort((a, b) => order.indexOf(a) - order.indexOf(b)).join(' ');
    expect(cut).toBe(17);
    expect(pack.slice(0, 6).join(' ')).toBe('7H 8H AC 4S AH 7D');
    expect(hands.map(written)[0]).toBe('3D 4D 5C 5S 6H 7C 7S 8D 8H 8S 9C TH KC AH 2D 2H');
    expect(written(rest)).toBe('3H JS KS 2S');
  });

  it('is held against the record, and a forged one is found out', async () => {
    const seed = await dealSeed(secret, ['tea', '', '大三'], '5f'.repeat(32), 3);
    const { hands, rest } = await deal(seed, { ...how, pack: freshPack(1, false), dealer: 0, cut: true });
    const lines = [
      { format: 'climb/1', rules: { digest: '5f'.repeat(32), options: { cut: true } } },
      {
        type: 'deal',
        number: 3,
        dealer: 0,
        hands: hands.map((hand) => hand.join(' ')),
        kitty: rest.join(' '),
        commitment: await commitment(secret),
        contributions: ['tea', '', '大三'],
      },
      { type: 'reveal', secret: toHex(secret) },
    ];
    const record = (all: object[]): string => all.map((line) => JSON.stringify(line)).join('\n');
    const good = await check(record(lines), how, await commitment(secret));
    expect(good.checks.map((one) => one.ok)).toEqual([true, true, true, true]);
    const swapped = lines.map((line) => ('hands' in line ? { ...line, hands: [...(line.hands ?? [])].reverse() } : line));
    const bad = await check(record(swapped), how, 'another');
    expect(bad.checks.map((one) => one.ok)).toEqual([false, true, true, false]);
  });

  it('is held against a record whose pack lacks the cards that the rules leave out, and no others', async () => {
    const leftOut = ['AD', 'AC', 'AH', 'AS', '2C', '3C'];
    const pack = freshPack(1, false).filter((card) => !leftOut.includes(card));
    const seed = await dealSeed(secret, [], '5f'.repeat(32), 1);
    const { hands, rest } = await deal(seed, { players: 3, pack, each: 14, dealer: 0, cut: false });
    const dealing = { hands: hands.map((hand) => hand.join(' ')), kitty: rest.join(' '), commitment: 'unknown' };
    const record = [
      { format: 'climb/1', rules: { digest: '5f'.repeat(32), options: {} } },
      { type: 'deal', number: 1, dealer: 0, ...dealing },
      { type: 'reveal', secret: toHex(secret) },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n');
    for (const [lacks, ok] of [
      [leftOut, true],
      [leftOut.slice(1), false],
      [[], false],
    ] as const) {
      const { checks } = await check(record, { ...how, leftOut: lacks, each: 14 }, null);
      expect(checks.at(-1)).toMatchObject({ step: 'hands', ok });
    }
  });
});
