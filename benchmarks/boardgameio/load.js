// node load.js PORT MATCHES THINK_SECONDS SECONDS: three people at each match; prints one line of JSON.
import { Client } from "boardgame.io/dist/cjs/client.js";
import { SocketIO } from "boardgame.io/dist/cjs/multiplayer.js";
import { Climb } from "./game.js";

const [port, matches, think, seconds] = process.argv.slice(2).map(Number);
const server = `http://127.0.0.1:${port}`;
const seen = [];
let moves = 0;
let counting = false;

function open(number) {
  // The server makes a match when somebody asks for one that is not there.
  const matchID = `m${number}`;
  const match = { sent: null, by: null };
  for (const playerID of ["0", "1", "2"]) {
    const client = Client({ game: Climb, numPlayers: 3, matchID, playerID, debug: false, multiplayer: SocketIO({ server }) });
    let last = -1;
    client.subscribe((state) => {
      if (!state || state._stateID === last) return;
      last = state._stateID;
      if (match.sent !== null && match.by !== playerID && counting) seen.push(performance.now() - match.sent);
      if (playerID === "0" && counting) moves += 1;
      if (state.ctx.currentPlayer !== playerID) return;
      setTimeout(() => {
        const { G } = client.getState();
        const can = G.players[playerID].hand.filter((card) => card > G.top);
        match.sent = performance.now();
        match.by = playerID;
        if (can.length && (G.top < 0 || Math.random() < 0.7)) client.moves.play(can[Math.floor(Math.random() * can.length)]);
        else client.moves.pass();
      }, 1000 * think * (0.5 + Math.random()));
    });
    client.start();
  }
}

for (let i = 0; i < matches; i++) {
  open(i);
  await new Promise((done) => setTimeout(done, 5));
}
await new Promise((done) => setTimeout(done, 2000 * think + 1000));
counting = true;
console.log("counting");
await new Promise((done) => setTimeout(done, 1000 * seconds));
seen.sort((a, b) => a - b);
const at = (q) => seen[Math.min(seen.length - 1, Math.floor(seen.length * q))] ?? null;
console.log(JSON.stringify({ moves, seconds, p50: at(0.5), p99: at(0.99) }));
process.exit(0);
