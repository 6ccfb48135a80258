import { rmSync } from "node:fs";
import { join } from "node:path";
import { githubBodies, pushBody, smallBody } from "../load/bodies.ts";
import { count, ratio } from "../report/format.ts";
import { atLeast, noGoal } from "../report/goal.ts";
import { median, ratioByRounds } from "../report/statistics.ts";
import { endpoints } from "../service/bench-project.ts";
import { cpuMsOf, untilAtRest } from "../service/process-tree.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { startServer } from "../service/start-server.ts";
import { openSqliteReader, storeFileOf } from "../service/store-reader.ts";
import { byTurns } from "../measure/by-turns.ts";
import type { Bench } from "../measure/bench.ts";
import type { Row } from "../measure/row.ts";

const connections = 50;

/** The body and the endpoint, and the goal of the ratio to node:http without a store. */
const works = {
  small: { bodiesOf: smallBody, endpoint: endpoints.queued, goal: 0.35 },
  push: { bodiesOf: pushBody, endpoint: endpoints.queuedPush, goal: 0.4 },
  github: { bodiesOf: githubBodies, endpoint: endpoints.queuedGithub, goal: 0.4 },
} as const;

interface Turn {
  perSecond: number;
  answered: number;
  /** Of all processes of the server. */
  cpuMs: number;
}

/**
 * Accepts per second while workers are idle, beside node:http without a store, and beside the minimal program with the
 * same guarantee.
 */
export async function measureAccepts(bench: Bench, kind: keyof typeof works): Promise<Row[]> {
  const { bodiesOf, endpoint, goal } = works[kind];
  const { name, bodies } = bodiesOf();
  const folder = bench.makeProject({ workers: 1 });
  const service = await startSignalbox({ folder, nodeOptions: bench.nodeOptions });
  const plain = await startServer("plain");
  const reference = await startServer("reference", ["--file", join(folder, "reference.db")]);
  let accepted = 0;
  const turnOf = (url: string, pid: number | undefined) => async (): Promise<Turn> => {
    const before = cpuMsOf(pid);
    const result = await bench.client.post({ url, bodies, connections, ms: bench.turnMs }, 202);
    await untilAtRest(pid);
    return {
      perSecond: (result.answered / result.ms) * 1000,
      answered: result.statuses[202] ?? 0,
      cpuMs: cpuMsOf(pid) - before,
    };
  };
  const ourTurn = async () => {
    const turn = await turnOf(service.urlOf(endpoint), service.child.pid)();
    accepted += turn.answered;
    return turn;
  };
  try {
    if (bench.profile) {
      await bench.profile(service, ourTurn);
      return [];
    }
    const turns = await byTurns(
      { plain: turnOf(plain.url, plain.pid), ours: ourTurn, reference: turnOf(reference.url, reference.pid) },
      bench.rounds,
    );
    const store = openSqliteReader(storeFileOf(folder));
    const stored = await store.accepted(endpoint).finally(store.close);
    if (stored !== accepted)
      throw new Error(`${accepted} deliveries were answered 202, and ${stored} are in the store`);
    const common = {
      work: `${name}, ${connections} connections; runs stay queued`,
      measure: "accepts a second",
      ours: each(turns.ours),
    };
    const [toPlain, toReference] = [ratioOf(turns.ours, turns.plain), ratioOf(turns.ours, turns.reference)];
    return [
      {
        ...common,
        other: `node:http, no store: ${each(turns.plain)}`,
        ratio: ratio(toPlain),
        ...atLeast(goal, toPlain.median),
        durability: "ours: fsync before each 202; the other: none",
      },
      {
        ...common,
        other: `bare node:http + SQLite: ${each(turns.reference)}`,
        ratio: ratio(toReference),
        ...noGoal,
        durability: "both: fsync before each 202",
      },
    ];
  } finally {
    plain.close();
    reference.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function ratioOf(of: readonly Turn[], to: readonly Turn[]) {
  const rates = (turns: readonly Turn[]) => turns.map(({ perSecond }) => perSecond);
  return ratioByRounds(rates(of), rates(to));
}

function each(turns: readonly Turn[]): string {
  const sum = (of: (turn: Turn) => number) => turns.reduce((total, turn) => total + of(turn), 0);
  const microseconds = (sum(({ cpuMs }) => cpuMs) * 1000) / sum(({ answered }) => answered);
  return `${count(median(turns.map(({ perSecond }) => perSecond)))} (${count(microseconds)} µs of CPU each)`;
}
