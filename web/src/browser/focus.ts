import { tick } from 'svelte';
import { router } from './router.svelte';

const CONTROLS =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex="0"]';
/** Milliseconds in which a used control may disappear: its action may be a request to the server. */
const WATCHED = 4000;
const LOOK = 50;

const seen = (one: HTMLElement): boolean => one.checkVisibility?.() ?? true;
const lost = (): boolean => !document.activeElement || document.activeElement === document.body;

/** After the page has changed, focus the element found, if nothing else has the focus. */
export function focusNext(find: () => HTMLElement | null | undefined): void {
  void tick().then(() => {
    if (lost()) find()?.focus({ preventScroll: true });
  });
}

/** Focus the heading of a new page: screen readers read it, and the next Tab begins there. */
export function landing(heading: HTMLElement): void {
  if (!router.moved || !lost()) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/**
 * When a control used by keyboard disappears or is disabled, its neighbour gets the focus. Not for controls that make moves:
 * the neighbour might be another move, and the table's keys work without focus.
 */
export function keepFocus(): void {
  let timer: ReturnType<typeof setInterval> | undefined;

  function watch(event: KeyboardEvent): void {
    clearInterval(timer);
    const used = document.activeElement;
    if (
      !['Enter', ' '].includes(event.key) ||
      !(used instanceof HTMLElement) ||
      lost() ||
      used.closest('[data-do]') ||
      (used.closest('.felt:not(.nothing)') && !used.closest('.room'))
    )
      return;
    const around: HTMLElement[] = [];
    // Where a waiting room was, the hand takes the focus.
    for (let box = used.parentElement; box && !box.matches('body, main.felt'); box = box.parentElement) around.push(box);
    const until = Date.now() + WATCHED;
    const { route } = router;
    timer = setInterval(() => {
      // Another page sets the focus itself.
      if (router.route !== route || Date.now() > until) clearInterval(timer);
      else if (lost()) settle(used, around);
    }, LOOK);
  }

  addEventListener('keydown', watch, true);
  // Users of touch or mouse choose the place themselves.
  addEventListener('pointerdown', () => clearInterval(timer), true);
}

/** Focus the control after the one used, or else the nearest. */
function settle(used: HTMLElement, around: readonly HTMLElement[]): void {
  for (const box of around) {
    if (!box.isConnected) continue;
    const all = [...box.querySelectorAll<HTMLElement>(CONTROLS)].filter(seen);
    const after = all.find((one) => used.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
    const next = (used.isConnected && after) || all[0];
    if (next) {
      next.focus({ preventScroll: true });
      next.scrollIntoView({ block: 'nearest' });
      return;
    }
  }
}
