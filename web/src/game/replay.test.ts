import { describe, expect, it } from 'vitest';
import { replay } from './replay';

const record = (...lines: object[]): string =>
  [{ format: 'climb/1', rules: { name: 'winner', options: {} } }, ...lines].map((line) => JSON.stringify(line)).join('\n');
const shown = (hands: readonly string[][] | undefined): string[] | undefined => hands?.map((hand) => hand.join(' '));

describe('the hands of a record', () => {
  it('follow an exchange in two pairs', () => {
    const game = replay(
      record(
        { seq: 4, type: 'deal', hands: ['4C 5S 7C', '4D QC QD', '3S 9C 2S', '3C 3D 4H'], exchange: [0, 1, 3, 2] },
        { seq: 5, seat: 1, type: 'give', cards: ['QD', 'QC'] },
        { seq: 6, seat: 2, type: 'give', cards: ['2S'] },
        { seq: 7, seat: 0, type: 'give', cards: ['4C', '5S'] },
        { seq: 8, seat: 3, type: 'give', cards: ['3D'] },
        { seq: 9, seat: 0, type: 'open' },
        { seq: 10, seat: 0, type: 'play', cards: ['QD'] },
      ),
    );
    expect(shown(game?.steps[1]?.after.hands)).toEqual(['4C 5S 7C QD QC', '4D', '3S 9C', '3C 3D 4H 2S']);
    expect(shown(game?.steps.at(-1)?.after.hands)).toEqual(['7C QC', '4D 4C 5S', '3S 9C 3D', '3C 4H 2S']);
  });

  it('follow a gift, and the card taken from an offer', () => {
    const game = replay(
      record(
        { seq: 4, type: 'deal', hands: ['3S 2D', '7C KS'], exchange: [1, 0] },
        { seq: 5, seat: 0, type: 'give', cards: ['2D'] },
        { seq: 6, seat: 1, type: 'offer', cards: ['7C', 'KS'] },
        { seq: 7, seat: 0, type: 'take', cards: ['KS'] },
      ),
    );
    const hands = game?.steps.map((step) => shown(step.after.hands));
    expect(hands).toEqual([
      ['3S', '7C KS 2D'],
      ['3S', '7C KS 2D'],
      ['3S KS', '7C 2D'],
    ]);
  });
});

describe('the doublings of a record', () => {
  it('are those of its bombs so far', () => {
    const game = replay(
      record(
        { seq: 0, type: 'deal', hands: ['4D 5D 5C 5H 5S', '6D 7D', 'BJ RJ 3D'] },
        { seq: 1, seat: 0, type: 'play', cards: ['4D'] },
        { seq: 2, seat: 1, type: 'play', cards: ['6D'] },
        { seq: 3, seat: 0, type: 'play', cards: ['5D', '5C', '5H', '5S'] },
        { seq: 4, seat: 2, type: 'play', cards: ['BJ', 'RJ'] },
      ),
      [3, 4],
    );
    expect(game?.steps.map((step) => step.after.doublings)).toEqual([0, 0, 1, 2]);
  });
});

describe('the bidder of a record', () => {
  const passes = [0, 1, 2].map((seat) => ({ seq: 6 + seat, seat, type: 'pass' }));
  const bidders = (...after: object[]) => {
    const deal = { seq: 4, type: 'deal', hands: ['4D 7C', '5D', '6D'], kitty: '8D' };
    const steps = replay(record(deal, { seq: 5, seat: 0, type: 'open' }, ...passes, ...after))?.steps ?? [];
    return steps.map(({ before, after }) => [before.bidder, after.bidder, after.bid]);
  };

  it('is the opener if all have passed', () => {
    const play = { seq: 10, seat: 0, type: 'play', cards: ['4D'] };
    expect(bidders({ seq: 9, seat: 0, type: 'kitty', cards: ['8D'] }, play).slice(2)).toEqual([
      [null, 0, 1],
      [0, 0, 1],
    ]);
    expect(bidders({ seq: 9, seat: 0, type: 'call', cards: ['6D'] }, play).slice(2)).toEqual([
      [null, 0, 1],
      [0, 0, 1],
      [0, 0, 1],
    ]);
  });

  it('is only the highest one until the auction ends', () => {
    const bid = (seq: number, seat: number, n: number) => ({ seq, seat, type: 'bid', bid: n });
    const deal = { seq: 4, type: 'deal', hands: ['4D 7C', '5D', '6D'], kitty: '8D' };
    const lines = [bid(5, 0, 1), bid(6, 1, 3), { seq: 7, seat: 1, type: 'kitty', cards: ['8D'] }];
    const steps = replay(record(deal, ...lines, { seq: 8, seat: 1, type: 'play', cards: ['5D'] }))?.steps ?? [];
    expect(steps.map(({ after }) => [after.bidder, after.auction])).toEqual([
      [0, true],
      [1, false],
      [1, false],
    ]);
  });

  it('is nobody in Big Two, where the card that is left over is no kitty', () => {
    const deal = { seq: 0, type: 'deal', hands: ['3C 4D', '5D', '6D'], kitty: '3D' };
    const take = { seq: 1, seat: 0, type: 'kitty', cards: ['3D'] };
    const play = { seq: 3, seat: 0, type: 'play', cards: ['3D'] };
    for (const taken of [[take], []]) {
      const game = replay(record(deal, ...taken, { ...play, cards: taken.length ? ['3D'] : ['3C'] }));
      expect(game?.start.kitty).toEqual([]);
      const [step] = game?.steps ?? [];
      expect([step?.before.bidder, step?.after.bidder, step?.after.bid]).toEqual([null, null, null]);
      expect(step?.before.hands[0]).toEqual(taken.length ? ['3C', '4D', '3D'] : ['3C', '4D']);
    }
  });

  it('is nobody if the hand is void', () => expect(bidders().at(-1)).toEqual([null, null, null]));
});
