import { render } from 'svelte/server';
import { describe, expect, it } from 'vitest';
import CallPanel from './CallPanel.svelte';
import ExchangePanel from './ExchangePanel.svelte';

const info = { you: 0, seats: [0, 1].map((seat) => ({ seat, name: ['Ada', 'Blaise'][seat], kind: 'human' })) };
const shown = (panel: typeof CallPanel | typeof ExchangePanel, toAct: number): string => {
  const view = { seat: null, events: [], legal_moves: [], to_act: toAct };
  return render(panel as never, { props: { table: {}, info, view, sizes: {} } as never }).body;
};

describe('a panel for who is not shown the hand in their seat', () => {
  it('says whose move is awaited, except where the bot in that seat moves', () => {
    expect(shown(CallPanel, 1)).toContain('Blaise is calling a card');
    expect(shown(ExchangePanel, 1)).toContain('Blaise is choosing');
    expect(shown(CallPanel, 0)).not.toContain('You is');
    expect(shown(ExchangePanel, 0)).not.toContain('You is');
  });
});
