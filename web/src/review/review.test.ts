import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KnownDone, KnownMove, PositionValue, ReviewDone, ReviewMove } from '../gen/protocol';
import { gaps, ratingLine, steps } from '../ui/chart';
import { t } from '../i18n/i18n.svelte';
import type { LegalMove, View } from '../gen/protocol';
import { judged } from '../learn/lessons';
import { sharePicture } from './picture';
import { OtherLine, resultText, variationText, Verdicts, verdictText } from './review.svelte';

const lines = (...all: object[]): Response => new Response(all.map((one) => `${JSON.stringify(one)}\n`).join(''));
const move = (seq: number, kept: boolean): object => ({ type: 'move', seq, kept });
const refused = (code: string): Response => new Response(JSON.stringify({ code, message: 'no', wording: null }), { status: 429 });

beforeEach(() => vi.stubGlobal('location', { protocol: 'http:', host: 'table.test' }));
afterEach(() => vi.unstubAllGlobals());

describe('verdicts', () => {
  it('come line by line, once', async () => {
    let asked = 0;
    vi.stubGlobal('fetch', () => {
      asked++;
      return Promise.resolve(lines(move(7, true), move(5, false), { type: 'done', turning_points: [5], complete: true }));
    });
    const open = new Verdicts<ReviewMove, ReviewDone>('/api/hands/h/review');
    await Promise.all([open.ask(), open.ask()]);
    await open.ask();
    expect(asked).toBe(1);
    expect([...open.moves.keys()]).toEqual([7, 5]);
    expect(open.done?.turning_points).toEqual([5]);
    expect(open.working).toBe(false);
  });

  it('are asked for again after a refusal, which is said', async () => {
    const answers = [refused('rate'), lines({ type: 'done', turning_points: [], complete: true })];
    vi.stubGlobal('fetch', () => Promise.resolve(answers.shift()));
    const open = new Verdicts<ReviewMove, ReviewDone>('/api/hands/h/review');
    await open.ask();
    expect(open.refused).not.toBe('');
    await open.ask();
    expect(open.refused).toBe('');
    expect(open.done).not.toBeNull();
  });

  it('say so where the server has too many reviews to make', async () => {
    const wording = { id: 'study.busy', values: {} };
    const busy = new Response(JSON.stringify({ code: 'unavailable', message: 'no', wording }), { status: 503 });
    vi.stubGlobal('fetch', () => Promise.resolve(busy));
    const known = new Verdicts<KnownMove, KnownDone>('/api/hands/h/known');
    await known.ask();
    expect(known.refused.toLowerCase()).toBe(t('refusal.study.busy'));
    expect([known.done, known.working]).toEqual([null, false]);
  });
});

describe('another line', () => {
  it('is shown only while the reader waits for it', async () => {
    const waiting: ((answer: Response) => void)[] = [];
    vi.stubGlobal('fetch', () => new Promise((done) => waiting.push(done)));
    const line = new OtherLine('h');
    const first = line.play(4, ['pass']);
    const second = line.play(4, ['4H']);
    const value = (n: number): Response => new Response(JSON.stringify({ value: n } as Partial<PositionValue>));
    waiting[1]?.(value(2));
    waiting[0]?.(value(1));
    expect(await Promise.all([first, second])).toEqual([false, true]);
    expect(line.shown?.moves).toEqual(['4H']);
    const third = line.play(4, ['5H']);
    line.leave();
    waiting[2]?.(value(3));
    expect(await third).toBe(false);
    expect(line.shown).toBeNull();
  });

  it('says who is out first where it ends the hand', () => {
    const ending = (value: number | null, order: number[] | null) =>
      ({ value, view: { preset: 'big-three', result: order && { finish_order: order } } }) as unknown as PositionValue;
    const said = (value: PositionValue) => variationText(value, 'side', 0, ['Ann', 'Bo']);
    expect(said(ending(null, [1]))).toBe(t('over.first', { name: 'Bo' }));
    expect(said(ending(null, [0]))).toBe(t('over.first.you'));
    expect(said(ending(null, null))).toBe(t('review.unknown'));
    expect(said(ending(2, null))).toContain('2');
  });
  it('calls the bidder what the players of the game do', () => {
    const said = (preset: string) => variationText({ value: 2, view: { preset } } as unknown as PositionValue, 'side', 0, []);
    expect(said('dou-dizhu')).toContain('landlord');
    expect(said('big-three')).toContain('bidder');
  });

  it('names a place as a place', () => {
    const value = { value: 3, view: { preset: 'winner' } } as unknown as PositionValue;
    expect(variationText(value, 'places', 0, [])).toBe(t('review.try.place', { n: '3rd' }));
    expect([resultText(3, 'places'), resultText(3, 'first-out')]).toEqual(['3rd', '+3']);
  });
});

describe('a verdict', () => {
  const said = (wins: 'side' | 'first-out' | 'places', value: number, worth: number, scope = '', ownValues = true) =>
    verdictText({ forced: false, kept: value === worth, value, worth, scope } as ReviewMove, wins, ownValues);

  it('speaks of the win only where it is kept or given away', () => {
    expect(said('side', 4, 4)).toEqual({ text: t('review.kept'), good: true });
    expect(said('side', -4, -4).text).toBe(t('review.hopeless'));
    expect(said('side', -4, -4, '', false)).toEqual({ text: t('review.kept'), good: true });
    expect(said('side', 4, -4).text).toBe(t('review.lost'));
    // Bombs double what is paid.
    expect(said('side', 4, 2).text).toBe(t('review.lost.result'));
    expect(said('side', -2, -4).text).toBe(t('review.lost.result'));
  });
  it('takes a place for no payment', () => {
    expect(said('places', 1, 1)).toEqual({ text: t('review.kept'), good: true });
    expect(said('places', 1, 2).text).toBe(t('review.lost'));
    expect(said('places', 2, 3).text).toBe(t('review.lost.result'));
    expect(said('places', 3, 3)).toEqual({ text: t('review.kept.result'), good: false });
  });
  it('calls no position lost that is not sure to be won against all others together', () => {
    expect(said('first-out', -1, -1, 'paranoid').text).toBe(t('review.kept.result'));
    expect(said('first-out', -1, -1, 'two players').text).toBe(t('review.hopeless'));
  });
});

describe('charts', () => {
  const sheet = { width: 600, height: 150, left: 44, right: 16, top: 12, bottom: 22 };
  it('of ratings stay inside their sheet, with the beginning in sight', () => {
    const line = ratingLine([1500, 1540, 1390], 1500, sheet);
    expect([line.low, line.high]).toEqual([1350, 1550]);
    expect(line.path).toBe('M44.0 41.0L314.0 17.8L584.0 104.8');
    expect(line.last[0]).toBe(sheet.width - sheet.right);
    const alone = ratingLine([1700], 1500, sheet);
    expect(alone.low).toBeLessThan(1500);
    expect(alone.high).toBeGreaterThan(1700);
  });
  it('of values break off where one is not known', () => {
    const x = (i: number): number => i * 10;
    const y = (value: number): number => -value;
    expect(steps([2, 2, -2, null, null, 2, -2], x, y)).toBe('M0 -2H10V-2H20V2M50 -2H60V2');
    expect(steps([null, null], x, y)).toBe('');
  });

  it('show where nothing is settled', () => {
    expect(gaps([undefined, 2, null, null, 2, null])).toEqual([
      [2, 3],
      [5, 5],
    ]);
    expect(gaps([undefined, 2])).toEqual([]);
  });
});

describe('answers in lessons', () => {
  const moves: LegalMove[] = [
    {
      move: '5D 5H',
      type: 'play',
      kind: 'pair',
      cards: ['5D', '5H'],
      fixed: [],
      choices: [{ take: 2, cards: ['5D', '5H', '5S'] }],
    },
    { move: 'bid 2', type: 'bid', bid: 2 },
    { move: 'bid 3', type: 'bid', bid: 3 },
    { move: 'offer 3D 4C', type: 'offer', cards: ['3D', '4C'] },
    { move: 'pass', type: 'pass' },
  ];
  const view = { legal_moves: moves } as View;
  it('are right where the server knows the same play by them', () => {
    expect(judged(view, '5H 5S', ['5S 5D'])).toBe('right');
    expect(judged(view, 'offer 4C 3D', ['bid 2', 'offer 3D 4C'])).toBe('right');
    expect(judged(view, 'pass', ['5D 5H'])).toBe('wrong');
    expect(judged(view, 'bid 2', ['bid 3'])).toBe('wrong');
    expect(judged(view, '9H', ['5D 5H'])).toBe('forbidden');
  });
});

describe('the picture of a hand', () => {
  const picture = new Blob(['png'], { type: 'image/png' });
  it('is saved under its name where the device cannot share', async () => {
    const link = { href: '', download: '', click: vi.fn() };
    vi.stubGlobal('navigator', {});
    vi.stubGlobal('document', { createElement: () => link });
    await sharePicture(picture, 'dasan-h.png', 'http://table.test/h/h');
    expect(link.download).toBe('dasan-h.png');
    expect(link.click).toHaveBeenCalledOnce();
  });
  it('is shared on a phone, with the link', async () => {
    const share = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', { canShare: () => true, share });
    vi.stubGlobal('matchMedia', () => ({ matches: true }));
    await sharePicture(picture, 'dasan-h.png', 'http://table.test/h/h');
    expect(share).toHaveBeenCalledWith(expect.objectContaining({ url: 'http://table.test/h/h' }));
  });
});
