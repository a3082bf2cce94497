// A bot for the bot protocol, without any library: it gets rid of as many cards as it can.
//
// dasan bot-test "node examples/bots/first.js"

const readline = require("node:readline");

function choose(view) {
  let best = null;
  for (const move of view.legal_moves) {
    if (move.type === "play" && (best === null || move.cards.length > best.cards.length)) best = move;
  }
  return (best ?? view.legal_moves[0]).move;
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

const lines = readline.createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  switch (message.type) {
    case "hello":
      say({ type: "hello", protocol: "dasan-bot/1", name: "first-js", version: "1" });
      break;
    case "choose":
      say({ type: "move", id: message.id, move: choose(message.view) });
      break;
    case "quit":
      lines.close();
      process.exit(0);
  }
});
