import { describe, expect, it } from 'vitest';
import { parse } from './paths';

describe('paths', () => {
  it('names pages', () => {
    expect(parse('/')).toEqual({ page: 'start' });
    expect(parse('/t/abc_-1')).toEqual({ page: 'table', id: 'abc_-1' });
    expect(parse('/h/abc')).toEqual({ page: 'hand', id: 'abc' });
    expect(parse('/puzzles')).toEqual({ page: 'puzzles', id: null });
    expect(parse('/learn/big-two/')).toEqual({ page: 'learn', game: 'big-two', practice: false });
    expect(parse('/learn/big-two/practice')).toEqual({ page: 'learn', game: 'big-two', practice: true });
    expect(parse('/learn/big-two/exam')).toEqual({ page: 'missing' });
    expect(['/x', '/t', '/t/a/b', '/t/%zz', '/me/x'].map(parse).every((route) => route.page === 'missing')).toBe(true);
  });
});
