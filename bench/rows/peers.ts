import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { smallBody } from "../load/bodies.ts";
import type { PeerName } from "../peers/install-peer.ts";
import { startN8n } from "../peers/n8n.ts";
import { startNodeRed } from "../peers/node-red.ts";
import type { Peer } from "../peers/peer.ts";
import { startRestate } from "../peers/restate.ts";
import { count, ratio } from "../report/format.ts";
import { noGoal } from "../report/goal.ts";
import { median, ratioByRounds } from "../report/statistics.ts";
import { endpoints } from "../service/bench-project.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { openSqliteReader, storeFileOf } from "../service/store-reader.ts";
import { byTurns } from "../measure/by-turns.ts";
import type { Bench } from "../measure/bench.ts";
import type { Row } from "../measure/row.ts";

const connections = 50;

const starts: Record<PeerName, ((p: { modules: string; folder: string }) => Promise<Peer>)[]> = {
  "node-red": [startNodeRed],
  restate: [startRestate],
  n8n: [(p) => startN8n({ ...p, isFast: false }), (p) => startN8n({ ...p, isFast: true })],
};

/**
 * The same webhook to another product and to ours. Both also execute a small job. A product that cannot be installed is
 * noted, with the error.
 */
export async function measurePeers(bench: Bench, name: PeerName): Promise<Row[]> {
  const rows: Row[] = [];
  try {
    const modules = bench.peers?.(name);
    if (modules === undefined) return [];
    for (const start of starts[name]) rows.push(await measurePeer(bench, (folder) => start({ modules, folder })));
  } catch (error) {
    bench.note(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
  }
  return rows;
}

async function measurePeer(bench: Bench, start: (folder: string) => Promise<Peer>): Promise<Row> {
  const home = mkdtempSync(join(tmpdir(), "signalbox-bench-peer-"));
  const folder = bench.makeProject({ workers: 1 });
  const { name, bodies } = smallBody();
  const closing: (() => Promise<void>)[] = [];
  try {
    const peer = await start(home);
    closing.push(peer.close);
    const service = await startSignalbox({ folder });
    closing.push(service.stop);
    let accepted = 0;
    const turnOf = (url: string, status: number) => async () => {
      const result = await bench.client.post({ url, bodies, connections, ms: bench.turnMs }, status);
      if (url !== peer.url) accepted += result.statuses[status] ?? 0;
      return (result.answered / result.ms) * 1000;
    };
    const rates = await byTurns(
      { ours: turnOf(service.urlOf(endpoints.executed), 202), peer: turnOf(peer.url, peer.expectedStatus) },
      bench.rounds,
    );
    const store = openSqliteReader(storeFileOf(folder));
    const stored = await store.accepted(endpoints.executed).finally(store.close);
    if (stored !== accepted)
      throw new Error(`${accepted} deliveries were answered 202, and ${stored} are in the store`);
    return {
      work: `${name}, ${connections} connections; each is executed, too`,
      measure: "answers a second",
      ours: count(median(rates.ours)),
      other: `${peer.name}: ${count(median(rates.peer))}`,
      ratio: ratio(ratioByRounds(rates.ours, rates.peer)),
      ...noGoal,
      durability: `ours: fsync before each 202; ${peer.name}: ${peer.durability}`,
    };
  } finally {
    for (const close of closing.toReversed()) await close();
    for (const path of [home, folder]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  }
}
