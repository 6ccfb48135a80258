import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkAtRest, type Verdict } from "./audit.ts";
import { type OrderKind, orderKinds } from "./audited-project.ts";
import type { SourceChange } from "./changed-source.ts";
import { createSender, type Ledger } from "./clients.ts";
import { type AnswerOrder, checkAnswer } from "./durable-answer.ts";
import { isAcknowledged, type Kill } from "./facts.ts";
import { isRunning } from "./processes.ts";
import { readSqlite } from "./read-sqlite.ts";
import { copyAuditedProject, type Service, startService } from "./service.ts";
import { openSink, type Sink } from "./sink.ts";
import { attachStrace, diskCalls, killAtCall } from "./strace.ts";

interface Stage {
  projectDir: string;
  service: Service;
  sink: Sink;
  send: ReturnType<typeof createSender>;
  orders: Ledger[];
}

async function onStage<T>(changes: readonly SourceChange[], act: (stage: Stage) => Promise<T>): Promise<T> {
  const { projectDir, key } = copyAuditedProject(1);
  const sink = await openSink(() => {});
  try {
    const service = await startService({ projectDir, port: 0, sinkUrl: sink.url, generation: 0, changes });
    const stage: Stage = {
      projectDir,
      service,
      sink,
      orders: [],
      // The address stays the same.
      send: createSender({ url: () => service.url, key, onAcknowledged() {} }),
    };
    try {
      return await act(stage);
    } finally {
      await stage.service.kill();
    }
  } finally {
    await sink.close();
    rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

export interface SweepOptions {
  /** The part to sweep: until the receiver has accepted a delivery, or until its run has ended. */
  of: "accept" | "run";
  /** The distance between two calls that are killed. */
  stride: number;
  print: (line: string) => void;
}

/**
 * Kills the receiver at its first call that writes to disk, then at a later one, and so on, until a complete accept, or
 * a complete run, succeeds.
 */
export async function sweepCalls({ of, stride, print }: SweepOptions): Promise<Verdict & { calls: number }> {
  const startedAt = performance.now();
  return await onStage([], async (stage) => {
    const { orders, projectDir, sink } = stage;
    const kills: Kill[] = [];
    let n = 1;
    // One warm-up delivery, because some statements are prepared, and some pages read, only once.
    await accept(stage, "warm", orderKinds[1]);
    await untilAtRest(stage);
    for (; ; n += stride) {
      const { service } = stage;
      const pid = await oneProcess(service.receiver);
      const strace = await killAtCall(pid, n);
      const at = performance.now();
      await accept(stage, `${of}-${n}`, of === "accept" ? orderKinds[1] : orderKinds[0]);
      if (of === "run") await untilAtRest(stage);
      const isOver = isRunning(pid);
      await strace.detach();
      await untilAtRest(stage);
      print(`${of}: ${isOver ? "came through before" : "killed at"} call ${n}`);
      if (isOver) break;
      kills.push({ at, kind: "receiver", pid, generation: service.generation });
    }
    return {
      ...(await checkAtRest({ reader: readSqlite(projectDir), orders, effects: sink.effects, kills, startedAt })),
      calls: n - 1,
    };
  });
}

/** The order in which the receiver writes, flushes, and responds. */
export async function traceAnswer(changes: readonly SourceChange[]): Promise<AnswerOrder> {
  return await onStage(changes, async (stage) => {
    await accept(stage, "warm", orderKinds[0]);
    await untilAtRest(stage);
    const pid = await oneProcess(stage.service.receiver);
    const log = join(stage.projectDir, "strace.log");
    const strace = await attachStrace(pid, [
      "-y",
      "-s",
      "60",
      "-o",
      log,
      "-e",
      `trace=${diskCalls},write,writev,sendto,sendmsg`,
    ]);
    await accept(stage, "traced", orderKinds[0]);
    await strace.detach();
    const ofMainThread = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.startsWith(`${pid} `));
    return checkAnswer(ofMainThread.map((line) => line.trimEnd()));
  });
}

async function accept({ send, orders }: Stage, id: string, kind: OrderKind | undefined): Promise<void> {
  if (!kind) throw new Error("there is no such kind of order");
  const order: Ledger = { id, key: `key-${id}`, expected: kind.expected, answers: [] };
  orders.push(order);
  await send({ order, kind, body: JSON.stringify({ order: id, paid: kind.isPaid, ms: 0 }) });
}

/** Every acknowledged order is in the store, and its runs have ended. */
async function untilAtRest({ projectDir, orders }: Stage): Promise<void> {
  const reader = readSqlite(projectDir);
  const acknowledged = orders.filter(isAcknowledged).map(({ id }) => id);
  await until(async () => {
    const stored = new Set((await reader.runs()).map(({ orderId }) => orderId));
    return acknowledged.every((id) => stored.has(id)) && (await reader.progress()).open === 0;
  }, "the runs do not end");
}

/** Web is one; a run that must be alone has a worker of its own for a while. */
async function oneProcess(list: () => number[]): Promise<number> {
  let found: number[] = [];
  await until(async () => (found = list()).length === 1, "the processes are not back to one");
  return found[0] ?? 0;
}

async function until(isSo: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const giveUpAt = performance.now() + 120_000; !(await isSo());) {
    if (performance.now() > giveUpAt) throw new Error(otherwise);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
