import type { RulesFacts } from '../gen/protocol';

/** The sound and look of plays that beat plays of other kinds; null for all others. */
export function blast(kind: string | undefined, rules: Pick<RulesFacts, 'bombs'> | null): 'bomb' | 'rocket' | null {
  if (!kind || !rules?.bombs?.includes(kind)) return null;
  return kind === 'rocket' ? 'rocket' : 'bomb';
}
