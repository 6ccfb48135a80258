import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { bundleProgram } from "../../../scripts/bundle-program.ts";
import type { Store } from "../../ports/store.ts";
import { aDelivery, aRun } from "../testing/factories.ts";
import { openSqliteStore } from "./open-store.ts";

const fixture = (name: string) => bundleProgram(join(import.meta.dirname, "../fixtures", `${name}.ts`));
const answerSchema = z.object({ kind: z.string(), deliveryId: z.string(), runId: z.string() });

describe("several processes on one file", () => {
  let folder: string;
  let file: string;
  let children: ChildProcess[];
  let accept: string;
  let claimAll: string;
  beforeAll(async () => {
    [accept, claimAll] = await Promise.all([fixture("accept"), fixture("claim-all")]);
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "signalbox-processes-"));
    file = join(folder, "ledger.db");
    children = [];
  });
  afterEach(() => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  function start(program: string, ...args: string[]) {
    const child = spawn(process.execPath, [program, file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { child, nextLine: async () => z.string().parse((await lines.next()).value) };
  }

  async function runToEnd(program: string, ...args: string[]): Promise<string[]> {
    const { child } = start(program, ...args);
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    const [code] = await once(child, "close");
    expect(code).toBe(0);
    return output === "" ? [] : output.split("\n");
  }

  it("execute 1,000 runs, each exactly once, and no run fails because of a lock", async () => {
    const store = await openSqliteStore({ file });
    const runs = Array.from({ length: 1_000 }, () => aRun());
    await store.createRuns(runs);
    const had = (await Promise.all(["wrk_1", "wrk_2", "wrk_3", "wrk_4"].map((id) => runToEnd(claimAll, id)))).flat();
    expect(had.sort()).toEqual(runs.map((run) => `${run.id} 1 true`).sort());
    expect(await store.countOpenRuns()).toEqual({ queued: 0, running: 0, waiting: 0 });
    await store.close();
  });

  it("open a new file at the same time, and accept exactly one of twelve equal deliveries", async () => {
    const receivers = Array.from({ length: 4 }, () => start(accept, "3", "key"));
    for (const { nextLine } of receivers) expect(await nextLine()).toBe("ready");
    for (const { child } of receivers) child.stdin?.write("go\n");
    const kinds: string[] = [];
    for (const { nextLine } of receivers) {
      for (let answers = 0; answers < 3; answers += 1)
        kinds.push(answerSchema.parse(JSON.parse(await nextLine())).kind);
    }
    expect(kinds.sort()).toEqual(["accepted", ...Array.from({ length: 11 }, () => "repeated")]);
    const store = await openSqliteStore({ file });
    expect((await store.countOpenRuns()).queued).toBe(1);
    await store.close();
  });

  it("lose no accepted delivery when they are killed", async () => {
    const { child, nextLine } = start(accept);
    expect(await nextLine()).toBe("ready");
    child.stdin?.write("go\n");
    const answer = answerSchema.parse(JSON.parse(await nextLine()));
    child.kill("SIGKILL");
    await once(child, "close");
    const store = await openSqliteStore({ file });
    expect(await store.getDelivery(answer.deliveryId)).toMatchObject({
      id: answer.deliveryId,
      json: { email: "a@example.com" },
    });
    expect(await store.getRun(answer.runId)).toMatchObject({ status: "queued", deliveryId: answer.deliveryId });
    await store.close();
  });

  it("never exceed the limit of a queue together", async () => {
    const stores = await Promise.all([openSqliteStore({ file }), openSqliteStore({ file })]);
    const kinds: string[] = [];
    // In waves, so that their transactions alternate.
    for (let wave = 0; wave < 10; wave += 1)
      kinds.push(...(await Promise.all([...stores, ...stores, ...stores].map((store) => acceptBounded(store, 30)))));
    expect(kinds).toEqual(Array.from({ length: 60 }, (_, n) => (n < 30 ? "accepted" : "full")));
    expect((await stores[0].countOpenRuns()).queued).toBe(30);
    for (const store of stores) await store.close();
  });

  it("are notified of each other's writes within milliseconds, and not after they stop listening", async () => {
    const [store, other]: Store[] = await Promise.all([openSqliteStore({ file }), openSqliteStore({ file })]);
    if (!store || !other) throw new Error("two stores are open");
    const notified = new Promise<number>((resolve) => {
      const since = performance.now();
      const stop = store.watch(() => {
        stop();
        resolve(performance.now() - since);
      });
    });
    await other.createRuns([aRun()]);
    await notified;
    let calls = 0;
    const stop = store.watch(() => {
      calls += 1;
    });
    await store.createRuns([aRun()]);
    await new Promise(process.nextTick);
    expect(calls).toBe(1);
    stop();
    await store.createRuns([aRun()]);
    await new Promise(process.nextTick);
    expect(calls).toBe(1);
    await store.close();
    await other.close();
  });

  it("can watch only the writes of others, without their own", async () => {
    const [store, other]: Store[] = await Promise.all([openSqliteStore({ file }), openSqliteStore({ file })]);
    if (!store || !other) throw new Error("two stores are open");
    const calls = vi.fn<() => void>();
    const stop = store.watchRuns(calls);
    const own = vi.fn<() => void>();
    const stopOwn = store.watch(own);
    await store.createRuns([aRun()]);
    await vi.waitFor(() => expect(own).toHaveBeenCalled());
    expect(calls).not.toHaveBeenCalled();
    // Stopping one listener does not stop the other.
    stopOwn();
    await other.createRuns([aRun()]);
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(1));
    stop();
    await store.close();
    await other.close();
  });
});

async function acceptBounded(store: Store, maxQueued: number): Promise<string> {
  const delivery = aDelivery();
  return (
    await store.acceptDelivery({ delivery, runs: [aRun({ deliveryId: delivery.id, maxQueued })], idempotency: null })
  ).kind;
}
