/** The sound and look of plays that beat nearly everything, by kind; null for all others. */
export const blast = (kind: string | undefined): 'bomb' | 'rocket' | null => {
  if (kind === 'rocket') return 'rocket';
  return kind === 'bomb' || kind === 'joker-bomb' ? 'bomb' : null;
};
