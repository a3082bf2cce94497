// For tests: answers, for positions that come as lines of JSON ({view, sets}), what the page makes of them. A line goes out
// for each: the cards that are bright, for each set whether the page knows a move for it, and every play that touches raise.
import { registerHooks } from 'node:module';
import { createInterface } from 'node:readline';

// The page's modules import one another without their ending.
registerHooks({
  resolve: (name, context, next) => next(name.startsWith('.') && !name.endsWith('.ts') ? `${name}.ts` : name, context),
});
const { keys, cardOf } = await import('../src/cards/cards.ts');
const { matching, playable } = await import('../src/game/selection.ts');
const { raised, touch } = await import('../src/game/touch.ts');

/** What touches of one card raise, one after the other, and of a second card after it. */
function touches(view) {
  const hand = keys(view.hand);
  const found = new Map();
  for (const key of hand) {
    let now = raised([]);
    for (let i = 0; i < 9; i++) {
      now = touch(view, hand, now, key);
      if (!now.keys.size) break;
      // A card that is in no play is raised alone, so that the server says why it may not be played.
      if (now.anchor) found.set([...now.keys].sort().join(), [...now.keys].map(cardOf));
      const other = hand.find((one) => !now.keys.has(one));
      const then = other && now.keys.size > now.touched.length ? touch(view, hand, now, other) : now;
      if (then.anchor) found.set([...then.keys].sort().join(), [...then.keys].map(cardOf));
    }
  }
  return [...found.values()];
}

for await (const line of createInterface({ input: process.stdin })) {
  const { view, sets } = JSON.parse(line);
  const known = sets.map((cards) => (matching(view, cards) ? 1 : 0)).join('');
  process.stdout.write(`${JSON.stringify({ bright: [...playable(view)], known, raised: touches(view) })}\n`);
}
