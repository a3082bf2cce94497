import { printed, SYMBOL } from '../cards/cards';

export type Inline = { text: string; code?: boolean; suit?: string };
export type Block = { kind: 'p'; inline: Inline[] } | { kind: 'ul'; items: Inline[][] } | { kind: 'table'; rows: Inline[][][] };

const SUIT_OF: Record<string, string> = { '♦': 'D', '♣': 'C', '♥': 'H', '♠': 'S' };

/** Text split at its cards (`4♥`, `10♠`, `4H`), so that they can be drawn, and code without its backticks. */
export function inline(text: string): Inline[] {
  const parts: Inline[] = [];
  const pattern = /`([^`]+)`|((?:10|[2-9JQKA])[♦♣♥♠])|\b([2-9TJQKA])([DCHS])\b|\*\*([^*]+)\*\*/gu;
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    const [whole, code, card, rank, suit, strong] = match;
    if (code !== undefined) parts.push({ text: code, code: true });
    else if (card !== undefined) parts.push({ text: card, suit: SUIT_OF[card.slice(-1)] ?? 'S' });
    else if (rank !== undefined && suit !== undefined) parts.push({ text: printed(rank) + (SYMBOL[suit] ?? ''), suit });
    else parts.push({ text: strong ?? whole });
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** Paragraphs, lists and tables of a clause, which contains nothing else. */
export function blocks(markdown: string): Block[] {
  return markdown
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter(Boolean)
    .flatMap((part): Block[] => {
      const lines = part.split('\n');
      const isItem = (line: string): boolean => /^\s*(?:[-*]|\d+\.)\s+/.test(line);
      if (lines.every((line) => line.trim().startsWith('|'))) {
        const rows = lines.filter((line) => !/^\s*\|[\s:|-]+\|\s*$/.test(line));
        return [
          {
            kind: 'table',
            rows: rows.map((line) =>
              line
                .trim()
                .replace(/^\||\|$/g, '')
                .split('|')
                .map((cell) => inline(cell.trim())),
            ),
          },
        ];
      }
      const first = lines.findIndex(isItem);
      if (first < 0) return [{ kind: 'p', inline: inline(lines.join(' ')) }];
      const items: string[] = [];
      for (const line of lines.slice(first)) {
        if (isItem(line)) items.push(line.replace(/^\s*(?:[-*]|\d+\.)\s+/, ''));
        else items[items.length - 1] += ` ${line.trim()}`;
      }
      const list: Block = { kind: 'ul', items: items.map(inline) };
      return first ? [{ kind: 'p', inline: inline(lines.slice(0, first).join(' ')) }, list] : [list];
    });
}
