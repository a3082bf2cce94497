import { maybe } from '../i18n/i18n.svelte';
import type { Block, Inline } from './markdown';

const parts = (block: Block): Inline[] =>
  block.kind === 'p' ? block.inline : block.kind === 'ul' ? block.items.flat() : block.rows.flat(2);

/**
 * What a clause writes as code, in the page's words: options, presets, and values of the option that was named last. Two
 * options may have a value of the same name, and `winner` is a preset too.
 */
export function titles(clause: readonly Block[]): Map<Inline, string> {
  const found = new Map<Inline, string>();
  let option = '';
  for (const part of clause.flatMap(parts).filter((one) => one.code)) {
    const title = maybe(`option.${part.text}`);
    if (title !== null) option = part.text;
    const value = option ? (maybe(`choice.${option}.${part.text}`) ?? maybe(`choice.${part.text}`)) : null;
    found.set(part, title ?? value ?? maybe(`preset.${part.text}`) ?? part.text);
  }
  return found;
}
