import { parse, type AST } from 'svelte/compiler';
import { describe, expect, it } from 'vitest';

const sources = import.meta.glob<string>('../**/*.svelte', { eager: true, query: '?raw', import: 'default' });

/** Every element in a part of a template. */
const elements = (part: unknown): AST.RegularElement[] =>
  !part || typeof part !== 'object'
    ? []
    : [
        ...('type' in part && part.type === 'RegularElement' ? [part as AST.RegularElement] : []),
        ...Object.values(part).flatMap((one) => elements(one)),
      ];

const isStatus = (element: AST.RegularElement, source: string): boolean =>
  element.attributes.some((one) => source.slice(one.start, one.end) === 'role="status"');

/** Whether some text is there as soon as the element is: a word, another element, or a text without a condition. */
const isFull = (element: AST.RegularElement, source: string): boolean =>
  element.fragment.nodes.some((node) => {
    const text = source.slice(node.start, node.end);
    if (node.type === 'Text') return text.trim() !== '';
    // The first thing that a page says changes nothing.
    if (node.type === 'ExpressionTag') return node.expression.type === 'CallExpression' && text !== "{t('start.loading')}";
    return !node.type.endsWith('Block');
  });

describe('a live region', () => {
  it.each(Object.keys(sources).filter((path) => sources[path]?.includes('role="status"')))(
    '%s is there before its text: screen readers announce only what changes in it',
    (path) => {
      const source = sources[path] ?? '';
      const full = elements(parse(source, { modern: true }).fragment).filter(
        (one) => isStatus(one, source) && isFull(one, source),
      );
      expect(full.map((one) => source.slice(one.start, one.end))).toEqual([]);
      expect(source).not.toMatch(/\{#if (.+)\}\s*<[^>]+role="status"[^>]*>\{\1\}/);
    },
  );
});
