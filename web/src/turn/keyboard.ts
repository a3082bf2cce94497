import type { Table } from '../game/table.svelte';

interface Moves {
  step(by: number): void;
  close(): void;
}

const TYPING = new Set(['INPUT', 'SELECT', 'TEXTAREA']);

const CONTROLS = new Set(['A', 'BUTTON', 'SUMMARY']);

/** Whether a button or a link other than a card has the focus: Enter belongs to it. */
export const onControl = (target: HTMLElement): boolean => CONTROLS.has(target.tagName) && target.dataset.at === undefined;

/** Whether the deal that is being shown may be skipped by a key: not from the panel, a field or another control. */
export const skips = (target: HTMLElement): boolean =>
  target.dataset.do === 'skip' || !(TYPING.has(target.tagName) || onControl(target) || target.closest('aside'));

/** The keys of the table; keys that the focused element handles are left to it. */
export function keyboard(event: KeyboardEvent, table: Table, moves: Moves, panelOpen: boolean): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target as HTMLElement;
  if (event.key === 'Escape' && panelOpen) {
    moves.close();
    return;
  }
  if (TYPING.has(target.tagName) || panelOpen || table.opening) return;

  const onCard = target.dataset.at !== undefined;
  const inTabs = ['tab', 'tabpanel'].includes(target.getAttribute('role') ?? '');
  const done = act();
  if (done) event.preventDefault();

  function act(): boolean {
    switch (event.key) {
      case 'ArrowLeft':
      case 'ArrowRight':
        if (inTabs) return false;
        moves.step(event.key === 'ArrowRight' ? 1 : -1);
        return true;
      case 'Enter':
        // Enter activates a focused button; on a card it plays the selection.
        if (onControl(target) || (onCard && !table.selection.length)) return false;
        if (table.myTurn && table.advice && !table.selection.length) {
          table.move(table.advice.move.move);
          return true;
        }
        if (!table.selection.length) return false;
        if (table.myTurn) table.play();
        else table.ahead('play');
        return true;
      case 'Escape':
        if (table.settled && table.view?.result && !table.looking) {
          table.looking = true;
          return true;
        }
        table.choose([]);
        table.plan = null;
        table.unadvise();
        table.dismiss();
        return true;
      case 'p':
      case 'P':
        if (table.myTurn) table.pass();
        else if (table.view?.phase === 'play') table.ahead('pass');
        return true;
      case 'h':
      case 'H':
        table.hint();
        return true;
      case 'c':
      case 'C':
        table.cycle();
        return true;
      case 'n':
      case 'N':
        table.next();
        return true;
      default:
        return /^[1-9]$/.test(event.key) && bid(Number(event.key));
    }
  }

  function bid(n: number): boolean {
    const move = table.myTurn ? table.view?.legal_moves.find((one) => one.type === 'bid' && one.bid === n) : undefined;
    if (move) table.move(move.move);
    return Boolean(move);
  }
}
