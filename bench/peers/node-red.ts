import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../scripts/free-port.ts";
import { peerPackages } from "./install-peer.ts";
import { startPeerProcess, untilAnswers } from "./peer-process.ts";
import type { Peer } from "./peer.ts";

const flows = [
  { id: "flow", type: "tab", label: "bench" },
  { id: "in", type: "http in", z: "flow", url: "/bench", method: "post", wires: [["work"]] },
  {
    id: "work",
    type: "function",
    z: "flow",
    func: "msg.payload = { ok: true }; msg.statusCode = 202; return msg;",
    outputs: 1,
    wires: [["out"]],
  },
  { id: "out", type: "http response", z: "flow", wires: [] },
];

/** Node-RED without its editor, and a flow of http in → function → http response. It stores nothing. */
export async function startNodeRed({ modules, folder }: { modules: string; folder: string }): Promise<Peer> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const settings = {
    uiHost: "127.0.0.1",
    uiPort: port,
    userDir: folder,
    flowFile: "flows.json",
    httpAdminRoot: false,
    credentialSecret: false,
    logging: { console: { level: "warn" } },
  };
  writeFileSync(join(folder, "settings.cjs"), `module.exports = ${JSON.stringify(settings)};\n`);
  writeFileSync(join(folder, "flows.json"), JSON.stringify(flows));
  const url = `http://127.0.0.1:${port}/bench`;
  const server = startPeerProcess({
    program: process.execPath,
    args: [join(modules, "node_modules/node-red/red.js"), "--settings", join(folder, "settings.cjs")],
    folder,
    name: "node-red",
  });
  const ask = async () =>
    (await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" })).status === 202;
  await untilAnswers({ what: "Node-RED", withinMs: 60_000, ask });
  return {
    name: `Node-RED ${peerPackages["node-red"]["node-red"]}`,
    url,
    expectedStatus: 202,
    durability: "stores nothing",
    countExecuted: null,
    close: server.close,
  };
}
