import { rmSync } from "node:fs";
import { join } from "node:path";
import { isOpenSql } from "../../server/store/sqlite/stored-forms.ts";
import { smallBody } from "../load/bodies.ts";
import type { Peer } from "../peers/peer.ts";
import { startRestate } from "../peers/restate.ts";
import { count, ratio } from "../report/format.ts";
import { median, ratioByRounds } from "../report/statistics.ts";
import { endpoints } from "../service/bench-project.ts";
import { countStored } from "../service/count-stored.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { startServer } from "../service/start-server.ts";
import { byTurns } from "./by-turns.ts";
import type { Bench } from "./bench.ts";
import { type ExecuteTurn, executeTurn, watchOpen } from "./execute-turn.ts";
import type { Row } from "./row.ts";

const connections = 50;
const goals = { toRestate: 6, drainMs: 1_000 };
const anyRunIsOpen = `SELECT EXISTS (SELECT 1 FROM run WHERE ${isOpenSql})`;
const anyJobIsOpen = "SELECT EXISTS (SELECT 1 FROM job WHERE state IN ('queued', 'running'))";

/** Accepts a second while all that is accepted is also executed, to the end of the last run. */
export async function measureAcceptsAndRuns(bench: Bench): Promise<Row[]> {
  const stage = await setStage(bench);
  const { sides, restate } = stage;
  try {
    if (bench.profile) {
      await bench.profile(stage.service, sides.ours);
      return [];
    }
    const turns: { ours: ExecuteTurn[]; reference: ExecuteTurn[]; restate?: ExecuteTurn[] } = restate
      ? await byTurns({ ...sides, restate: restate.turn }, bench.rounds)
      : await byTurns(sides, bench.rounds);
    stage.checkStored();
    return rowsOf(turns, restate?.peer ?? null);
  } finally {
    await stage.close();
  }
}

async function setStage(bench: Bench) {
  const folder = bench.makeProject({ workers: 1 });
  const service = await startSignalbox({ folder, nodeOptions: bench.nodeOptions });
  const referenceFile = join(folder, "reference.db");
  const reference = await startServer("reference", ["--file", referenceFile, "--worker"]);
  const runs = watchOpen(join(folder, ".signalbox/signalbox.db"), anyRunIsOpen);
  const jobs = watchOpen(referenceFile, anyJobIsOpen);
  const modules = bench.peers?.("restate");
  const peer = modules === undefined ? null : await startRestate({ modules, folder: join(folder, "restate") });
  const post = (url: string) => () =>
    bench.client.post(
      { url, headers: {}, bodies: smallBody().bodies, connections, ms: bench.turnMs, perSecond: null },
      202,
    );
  let accepted = 0;
  return {
    service,
    sides: {
      ours: async () => {
        const turn = await executeTurn(post(service.urlOf(endpoints.executed)), runs.isEmpty);
        accepted += turn.answered;
        return turn;
      },
      reference: () => executeTurn(post(reference.url), jobs.isEmpty),
    },
    restate: peer && { peer, turn: turnOfPeer(peer, post(peer.url)) },
    checkStored() {
      const stored = countStored(folder, endpoints.executed);
      if (stored.accepted !== accepted || stored.runs["completed"] !== accepted)
        throw new Error(`${accepted} deliveries were answered 202, and the store has ${JSON.stringify(stored)}`);
    },
    async close() {
      runs.close();
      jobs.close();
      reference.close();
      await peer?.close();
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function turnOfPeer(peer: Peer, post: Parameters<typeof executeTurn>[0]): () => Promise<ExecuteTurn> {
  return async () => {
    const before = (await peer.countExecuted?.()) ?? 0;
    return executeTurn(post, async (answered) => ((await peer.countExecuted?.()) ?? 0) - before >= answered);
  };
}

function rowsOf(
  turns: { ours: ExecuteTurn[]; reference: ExecuteTurn[]; restate?: ExecuteTurn[] },
  restate: Peer | null,
): Row[] {
  const drainMs = median(turns.ours.map((turn) => turn.drainMs));
  const common = {
    work: `${smallBody().name}, ${connections} connections; one worker executes all`,
    measure: "accepted and executed a second",
    ours: count(median(rates(turns.ours))),
  };
  const rows: Row[] = [];
  if (restate && turns.restate) {
    const toRestate = ratioByRounds(rates(turns.ours), rates(turns.restate));
    rows.push({
      ...common,
      other: `${restate.name}: ${count(median(rates(turns.restate)))}`,
      ratio: ratio(toRestate),
      goal: `≥ ${goals.toRestate}`,
      isMet: toRestate.median >= goals.toRestate,
      durability: `ours: fsync before each 202; Restate: ${restate.durability}`,
    });
  }
  const toReference = ratioByRounds(rates(turns.ours), rates(turns.reference));
  rows.push({
    ...common,
    other: `bare node:http + SQLite, worker on the same loop: ${count(median(rates(turns.reference)))}`,
    ratio: ratio(toReference),
    goal: null,
    isMet: null,
    durability: "both: fsync before each 202 and for each end",
  });
  rows.push({
    ...common,
    measure: "ms from the last 202 to the end of the last run",
    ours: count(drainMs),
    other: null,
    ratio: null,
    goal: `≤ ${goals.drainMs}`,
    isMet: drainMs <= goals.drainMs,
    durability: "fsync for each end",
  });
  return rows;
}

function rates(turns: readonly ExecuteTurn[]): number[] {
  return turns.map(({ perSecond }) => perSecond);
}
