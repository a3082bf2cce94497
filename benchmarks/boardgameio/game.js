// A climbing game of the plainest kind: three hands of seventeen cards, a turn is a card or a pass, hands are secret.
import { INVALID_MOVE, PlayerView } from "boardgame.io/dist/cjs/core.js";

const deal = (random) => {
  const pack = random.Shuffle([...Array(51).keys()]);
  return { players: Object.fromEntries([0, 1, 2].map((i) => [i, { hand: pack.slice(17 * i, 17 * i + 17) }])), top: -1, passed: 0 };
};

export const Climb = {
  name: "climb",
  setup: ({ random }) => deal(random),
  playerView: PlayerView.STRIP_SECRETS,
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    play: {
      client: false,
      move: ({ G, playerID, random }, card) => {
        const hand = G.players[playerID].hand;
        if (!hand.includes(card) || card <= G.top) return INVALID_MOVE;
        hand.splice(hand.indexOf(card), 1);
        G.top = card;
        G.passed = 0;
        if (hand.length === 0) Object.assign(G, deal(random));
      },
    },
    pass: {
      client: false,
      move: ({ G }) => {
        G.passed += 1;
        if (G.passed === 2) Object.assign(G, { top: -1, passed: 0 });
      },
    },
  },
};
