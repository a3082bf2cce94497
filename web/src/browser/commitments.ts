import { load, save } from './storage';

/** The server's commitments to the deals of a table, by number of the hand, for as long as the tab is open. */
const name = (table: string): string => `fair.${table}`;
const known = (table: string): Record<string, string> => load(name(table), {}, 'session');

export const commitmentTo = (table: string, hand: number): string | null => known(table)[hand] ?? null;

/** Store a commitment before the deal, to check the deal afterwards. The first one counts. */
export function keepCommitment(table: string, hand: number, commitment: string): void {
  const seen = known(table);
  if (!(hand in seen)) save(name(table), { ...seen, [hand]: commitment }, 'session');
}
