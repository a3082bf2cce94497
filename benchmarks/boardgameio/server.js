// node server.js PORT
import { Server } from "boardgame.io/dist/cjs/server.js";
import { Climb } from "./game.js";

const port = Number(process.argv[2]);
const server = Server({ games: [Climb], origins: [/.*/] });
server.run({ port, callback: () => console.log("ready") });
