"""Whether a page can be read and used: nothing cut off or covered, no small text, no small target."""

from __future__ import annotations

from playwright.sync_api import Page

SMALLEST, FINGER = 12, 40
"""The least size of a text, and of what a finger presses, in pixels."""

FAULTS = """([smallest, finger]) => {
  const faults = new Set();
  const clips = (value) => value === 'hidden' || value === 'clip';
  const scrolls = (value) => value === 'auto' || value === 'scroll';
  const root = document.documentElement;
  const kept = new Map();
  const style = (one) => kept.get(one) ?? kept.set(one, getComputedStyle(one)).get(one);
  const around = function* (one) {
    for (let box = one; box && box !== document.body && box !== root; box = box.parentElement) yield box;
  };
  const seen = (one) =>
    one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    ![...around(one)].some((box) => style(box).clipPath === 'inset(50%)');
  const kind = (one) =>
    [one.localName, ...[...one.classList].filter((name) => !name.startsWith('svelte-'))].join('.');
  const named = (one) =>
    `${kind(one)} “${(one.ariaLabel ?? one.textContent).trim().replaceAll(/\\s+/g, ' ').slice(0, 40)}”`;

  // Texts, except those of drawings and cards.
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || one.closest('svg, .card, script, style, option') || !seen(one)) continue;
    const size = parseFloat(style(one).fontSize);
    if (size < smallest - 0.1) faults.add(`text of ${size.toFixed(1)} px: ${named(one)}`);
    range.selectNodeContents(texts.currentNode);
    const lines = [...range.getClientRects()].filter((line) => line.width > 1);
    let [x, y] = [true, true];
    for (const box of around(one)) {
      const { overflowX, overflowY, position } = style(box);
      const { left, right, top, bottom } = box.getBoundingClientRect();
      const wide = x && clips(overflowX) && lines.some((line) => line.left < left - 1 || line.right > right + 1);
      // A line is higher than its letters.
      const high = y && clips(overflowY) && lines.some((line) => line.top < top - 4 || line.bottom > bottom + 4);
      if (wide || high) {
        faults.add(`cut off by ${kind(box)}: ${named(one)}`);
        break;
      }
      if (scrolls(overflowX)) x = false;
      if (scrolls(overflowY)) y = false;
      if (position === 'fixed') break;
    }
    if (x && lines.some((line) => line.left < -1 || line.right > innerWidth + 1)) {
      faults.add(`beside the window: ${named(one)}`);
    }
  }

  // Charts, which may be drawn smaller than they are written.
  for (const one of document.querySelectorAll('svg[role=img] text')) {
    const size = parseFloat(style(one).fontSize) * one.getScreenCTM().a;
    if (seen(one) && size < smallest - 0.1) faults.add(`text of ${size.toFixed(1)} px in a chart: ${named(one)}`);
  }

  // Fields: what is chosen, or what they ask for. Addresses may be longer.
  const pen = document.createElement('canvas').getContext('2d');
  for (const one of document.querySelectorAll('select, input[placeholder]')) {
    if (!seen(one)) continue;
    const { fontWeight, fontSize, fontFamily, paddingLeft, paddingRight } = style(one);
    pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    const text = one.selectedOptions?.[0]?.label ?? one.placeholder ?? '';
    const room = one.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    if (pen.measureText(text).width > room + 1) faults.add(`cut off by its field: ${kind(one)} “${text}”`);
    if (one.offsetHeight > 60) faults.add(`a field ${one.offsetHeight} px high: ${kind(one)} “${text}”`);
  }

  // Controls, except the cards of a hand, which overlap. A box to check is pressed by its label too.
  const modal = document.querySelector('dialog[open], [role=dialog]');
  const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
    .map((one) => (one.matches('[type=radio], [type=checkbox]') && one.closest('label')) || one)
    .filter((one) => one && seen(one) && !one.closest('[inert]') && (!modal || modal.contains(one)))
    .filter((one) => !one.matches('[data-at], [data-card]'));
  for (const one of controls) {
    const { left, top, width, height, right, bottom } = one.getBoundingClientRect();
    let [shown, cut] = [left >= -1 && right <= innerWidth + 1 && top >= -1 && bottom <= innerHeight + 1, null];
    for (const box of around(one.parentElement)) {
      const { overflowX, overflowY } = style(box);
      const edge = box.getBoundingClientRect();
      const wide = left < edge.left - 1 || right > edge.right + 1;
      const high = top < edge.top - 1 || bottom > edge.bottom + 1;
      if ((wide && clips(overflowX)) || (high && clips(overflowY))) cut ??= shown && box;
      if ((wide && overflowX !== 'visible') || (high && overflowY !== 'visible')) shown = false;
    }
    if (cut) faults.add(`cut off by ${kind(cut)}: ${named(one)}`);
    // Others are reached by scrolling.
    if (!shown) continue;
    const label = one.closest('label');
    const of = (hit) => (label ?? one).contains(hit);
    const at = (x, y) => document.elementFromPoint(left + width / 2 + x, top + height / 2 + y);
    const inline = style(one).display === 'inline' && one.getClientRects().length > 1;
    const points = [[0, 0], [-0.35, 0], [0.35, 0], [0, -0.35], [0, 0.35]];
    const over = inline ? null : points.map(([x, y]) => at(x * width, y * height)).find((hit) => hit && !of(hit));
    if (over) {
      // A row that stays while others scroll under it.
      if (![...around(over)].some((box) => style(box).position === 'sticky')) {
        faults.add(`covered by ${kind(over)}: ${named(one)}`);
      }
    } else if (finger && !one.disabled && !one.closest('p:not(.players), dd, td')) {
      // Up to 28 cards to call have to fit in.
      const half = (one.matches('[data-call]') ? 30 : finger) / 2 - 1;
      const missed = [[-half, 0], [half, 0], [0, -half], [0, half]].some(([x, y]) => at(x, y) && !of(at(x, y)));
      const [w, h] = [Math.round(width), Math.round(height)];
      if (missed && Math.min(w, h) < 2 * half) faults.add(`target of ${w} × ${h}: ${named(one)}`);
    }
  }

  // The game: of a card in the hand the corner with its rank and suit.
  const parts = ['head', 'name', 'tag', 'bubble', 'absent', 'alarm', 'reaction'].map((part) => `.seat .${part}`);
  parts.push('.centre .card', '.centre .label', '.me .text > *', '.me .alarm', '.act button', 'button[data-at]');
  for (const over of document.querySelectorAll('.notice, .lost, .call')) {
    if (!seen(over)) continue;
    const edge = over.getBoundingClientRect();
    for (const one of document.querySelectorAll(parts.join())) {
      if (!seen(one) || one.closest('[inert]') || over.contains(one)) continue;
      const { left, right, top, bottom, width, height } = one.getBoundingClientRect();
      const corner = one.matches('[data-at]');
      const [east, south] = corner ? [left + 0.35 * width, top + 0.5 * height] : [right, bottom];
      if (left < edge.right - 1 && east > edge.left + 1 && top < edge.bottom - 1 && south > edge.top + 1) {
        faults.add(`covered by ${kind(over)}: ${named(one)}`);
      }
    }
  }
  // A position: each hand is in its seat, and so is what is said of it.
  for (const one of document.querySelectorAll('.board section :is(b, .tag, .card)')) {
    const { left, right } = one.getBoundingClientRect();
    const edge = one.closest('section').getBoundingClientRect();
    if (left < edge.left - 1 || right > edge.right + 1) faults.add(`beside its seat: ${named(one)}`);
  }
  // A seat is on its stage.
  for (const one of document.querySelectorAll('.seat :is(.head, .name, .tag, .absent, .bubble, .badge)')) {
    const { left, right } = one.getBoundingClientRect();
    const edge = one.closest('.stage').getBoundingClientRect();
    if (seen(one) && (left < edge.left - 1 || right > edge.right + 1)) faults.add(`beside the stage: ${named(one)}`);
  }
  // A seat: not under the play to beat; and what it has played not over another seat.
  const game = [...document.querySelectorAll('.seat :is(.head, .name, .tag, .bubble), .centre :is(.card, .label)')].filter(seen);
  for (const one of game.filter((part) => part.closest('.seat'))) {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    for (const other of game) {
      const edge = other.getBoundingClientRect();
      if (!one.matches('.bubble') && other.closest('.seat')) continue;
      const beside = left > edge.right - 4 || right < edge.left + 4 || top > edge.bottom - 4 || bottom < edge.top + 4;
      if (!beside && one.closest('.seat') !== other.closest('.seat')) faults.add(`covered by ${named(other)}: ${kind(one)}`);
    }
  }
  // A play in the middle or at a seat: nothing covers the rank of a card.
  for (const one of document.querySelectorAll('.centre .play .card, .seat .mini .chip')) {
    const rank = one.querySelector('use, text, b')?.getBoundingClientRect();
    for (let next = rank && one.nextElementSibling; next; next = next.nextElementSibling) {
      const { left, top, right, bottom } = next.getBoundingClientRect();
      if (left < rank.right - 1 && right > rank.left + 1 && top < rank.bottom - 1 && bottom > rank.top + 1) {
        faults.add(`rank covered: ${named(one.parentElement)}`);
      }
    }
  }
  return [...faults];
}"""


def legible(page: Page, where: str, *, touch: bool) -> None:
    """Check that nothing on the page is cut off, too small or covered. touch: whether fingers press its buttons."""
    faults: list[str] = page.evaluate(FAULTS, [SMALLEST, FINGER if touch else 0])
    assert not faults, f"{where}: {faults}"
