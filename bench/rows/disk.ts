import { rmSync } from "node:fs";
import { join } from "node:path";
import { smallBody } from "../load/bodies.ts";
import { count } from "../report/format.ts";
import { atMost } from "../report/goal.ts";
import { endpoints } from "../service/bench-project.ts";
import { untilAtRest } from "../service/process-tree.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { startServer } from "../service/start-server.ts";
import { openSqliteReader, storeFileOf } from "../service/store-reader.ts";
import { checkpointedBytes } from "../service/store-size.ts";
import type { Bench } from "../measure/bench.ts";
import { connections, openJobs } from "../measure/execute-stage.ts";
import { executeTurn } from "../measure/execute-turn.ts";
import type { Row } from "../measure/row.ts";

const goalBytes = 900;
/** Long enough for what is written after the last end, such as indexes. */
const restMs = 3_000;

/** Bytes of the store for one small webhook with its run: database and WAL after a checkpoint, without an empty store. */
export async function measureDisk(bench: Bench): Promise<Row[]> {
  const folder = bench.makeProject({ workers: 1 });
  const webhooks = bench.backlog * 2;
  try {
    const ours = await bytesOfWebhook(bench, folder, webhooks);
    const reference = await bytesOfJob(bench, join(folder, "reference.db"), webhooks);
    return [
      {
        work: `${count(webhooks)} webhooks of ${smallBody().name}, each with a run that has ended`,
        measure: "bytes on disk for each, after a checkpoint",
        ours: count(ours),
        other: `bare node:http + SQLite: ${count(reference)}`,
        ratio: (ours / reference).toFixed(2),
        ...atMost(goalBytes, ours),
        durability: "–",
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bytesOfWebhook(bench: Bench, folder: string, webhooks: number): Promise<number> {
  const file = storeFileOf(folder);
  const first = await startSignalbox({ folder });
  await untilAtRest(first.child.pid, { forMs: restMs }).finally(first.stop);
  const empty = checkpointedBytes(file);
  const service = await startSignalbox({ folder });
  const store = openSqliteReader(file);
  try {
    await executeTurn(postTo(bench, service.urlOf(endpoints.executed), webhooks), () => !store.hasAnyOpen());
    await untilAtRest(service.child.pid, { forMs: restMs });
    const completed = store.countCompleted(endpoints.executed);
    if (completed !== webhooks) throw new Error(`${completed} of ${webhooks} runs have completed`);
  } finally {
    await store.close();
    await service.stop();
  }
  return (checkpointedBytes(file) - empty) / webhooks;
}

async function bytesOfJob(bench: Bench, file: string, jobs: number): Promise<number> {
  const reference = await startServer("reference", ["--file", file, "--worker"]);
  const open = openJobs(file);
  try {
    const empty = checkpointedBytes(file);
    await executeTurn(postTo(bench, reference.url, jobs), () => !open.hasOpen());
    return (checkpointedBytes(file) - empty) / jobs;
  } finally {
    open.close();
    reference.close();
  }
}

function postTo(bench: Bench, url: string, webhooks: number) {
  return () => bench.client.post({ url, bodies: smallBody().bodies, connections, count: webhooks }, 202);
}
