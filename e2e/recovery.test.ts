import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { cleanEnvironment } from "../scripts/clean-environment.ts";
import { startCluster } from "../scripts/postgres-cluster.ts";
import { childrenOf } from "./auditor/processes.ts";
import { getJson, postJson } from "./support/api.ts";
import { cliFile, repository, writeProject } from "./support/project.ts";
import { type Service, startService } from "./support/service.ts";

const page = readFileSync(join(repository, "docs/recovery.md"), "utf8");

/** The files of the page's example. */
const files = Object.fromEntries(
  [...page.matchAll(/```ts\n\/\/ (\S+)\n([^]*?)```/g)].map(([, path = "", text = ""]) => [path, text]),
);
/** The commands of the page, in order. */
const commands = [...page.matchAll(/```sh\n([^]*?)```/g)]
  .flatMap(([, block = ""]) => block.trim().split("\n"))
  .map((line) => line.replace(/^npx signalbox /, ""));

const workflowFile = "workflows/reserve-items.ts";
const [bug, fix] = ["sku: item,", "sku: item.toUpperCase(),"];

/** A warehouse that makes each reservation once for each idempotency key, as payment services do. */
function createWarehouse() {
  const calls: { key: string; sku: string }[] = [];
  const effects = new Map<string, string>();
  /** Called after an effect, before its answer. `false`: there is no answer. */
  let onEffect: (() => boolean) | null = null;
  let isDown = false;
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { sku } = JSON.parse(Buffer.concat(chunks).toString()) as { sku: string };
      const key = String(request.headers["idempotency-key"]);
      calls.push({ key, sku });
      if (isDown && sku.startsWith("CAP-")) {
        response.writeHead(503).end();
        return;
      }
      if (sku !== sku.toUpperCase()) {
        response.writeHead(422).end();
        return;
      }
      const isNew = !effects.has(key);
      effects.set(key, sku);
      if (!isNew || !onEffect || onEffect()) response.writeHead(201).end();
    });
  });
  return {
    server,
    calls,
    effects: () => [...effects.values()].sort(),
    set onEffect(handle: () => boolean) {
      onEffect = handle;
    },
    /** Rejects the second item of each order. */
    set isDown(value: boolean) {
      isDown = value;
    },
  };
}

const warehouse = createWarehouse();
let warehouseUrl = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => warehouse.server.listen(0, "127.0.0.1", resolve));
  warehouseUrl = `http://127.0.0.1:${(warehouse.server.address() as AddressInfo).port}`;
});
afterAll(() => {
  warehouse.server.closeAllConnections();
  warehouse.server.close();
});

interface RunDocument {
  id: string;
  status: string;
  replayedAs: string | null;
  resumedAt: string | null;
}

interface BulkDocument {
  done: number;
  runs: { id: string; replayedAs: string | null }[];
  skipped: { id: string }[];
  failed: { id: string; message: string }[];
}

/** Runs a command while the warehouse answers, and other commands run. */
async function runCommand(projectDir: string, line: string, env: NodeJS.ProcessEnv) {
  const args = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
  const child = spawn(process.execPath, [cliFile, ...args, "--project", projectDir], {
    cwd: projectDir,
    env: { ...cleanEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const status = await new Promise((resolve) => child.once("close", resolve));
  return { status, stdout, stderr };
}

type Project = Awaited<ReturnType<typeof buildExample>>;

/** A built project with the page's example, and its command line. `settings` are variables, e.g. of its store. */
async function buildExample(settings: NodeJS.ProcessEnv = {}) {
  const projectDir = writeProject(files);
  const env = { ...settings, WAREHOUSE_URL: warehouseUrl, SIGNALBOX_WORKERS: "2" };
  /** Its output. Every command succeeds. */
  const cli = async (line: string): Promise<string> => {
    const { status, stdout, stderr } = await runCommand(projectDir, line, env);
    expect([line, status, stderr]).toEqual([line, 0, expect.anything()]);
    return stdout;
  };
  const json = async <Document>(line: string) => JSON.parse(await cli(`${line} --json`)) as Document;
  const listed = async (filter = "") => (await json<{ data: RunDocument[] }>(`runs list --limit 100 ${filter}`)).data;
  await cli("build");
  const { secret } = await json<{ secret: string }>("keys create --api");
  const headers = { authorization: `Bearer ${secret}` };
  let url = "";
  return {
    projectDir,
    cli,
    json,
    listed,
    async start() {
      const service = await startService({ projectDir, command: "start", env });
      url = service.url;
      return service;
    },
    fix: () => writeFileSync(join(projectDir, workflowFile), (files[workflowFile] ?? "").replace(bug, fix)),
    untilEnded: () =>
      vi.waitFor(
        async () => {
          const { data } = await getJson<{ data: RunDocument[] }>(`${url}/api/v1/runs?limit=100`, headers);
          expect(data.filter(({ status }) => /queued|running|waiting/.test(status))).toEqual([]);
        },
        { timeout: 240_000, interval: 250 },
      ),
  };
}

/** The settings of a store in a Postgres of the test's own. */
async function postgresSettings(): Promise<NodeJS.ProcessEnv> {
  const cluster = await startCluster();
  onTestFinished(() => cluster.remove());
  return { DATABASE_URL: cluster.url("postgres") };
}

/** The workers of a service. */
function workersOf({ child }: Service): number[] {
  return childrenOf(child.pid ?? 0, "worker");
}

async function sendOrders(project: Project, orders: readonly number[]): Promise<void> {
  const url = (await project.cli("triggers url new-order")).trim();
  for (const n of orders) {
    const response = await postJson(url, { id: String(n), items: [`MUG-${n}`, `cap-${n}`, `PEN-${n}`] });
    expect(response.status).toBe(202);
  }
}

const skusOf = (orders: readonly number[]) => orders.flatMap((n) => [`CAP-${n}`, `MUG-${n}`, `PEN-${n}`]).sort();

describe("recovering from a bug", () => {
  it("a run that failed at its second item is resumed after a fix, by the commands of the page", async () => {
    const project = await buildExample();
    const service = await project.start();
    const rest = [...commands];
    const run = (start: string, change = (line: string) => line) => {
      const line = rest.shift() ?? "";
      expect(line.startsWith(start), `${line} begins with ${start}`).toBe(true);
      return project.cli(change(line));
    };
    await run("triggers send");
    await project.untilEnded();
    const [failed] = await project.listed("--unresolved");
    expect(await run("runs list --unresolved")).toContain(failed?.id);
    expect(warehouse.effects()).toEqual(["MUG-1"]);
    expect(failed).toMatchObject({ status: "failed" });

    project.fix();
    await run("build");
    await service.stop();
    await project.start();
    await run("runs resume run_", (line) => line.replace(/run_\w+/, failed?.id ?? ""));
    await project.untilEnded();
    expect(await project.listed()).toMatchObject([
      { id: failed?.id, status: "completed", resumedAt: expect.any(String) },
    ]);
    expect(warehouse.effects()).toEqual(["CAP-2", "MUG-1", "PEN-3"]);
    const kinds = await project.cli(`runs get ${failed?.id}`);
    expect(kinds).toContain("resumed by a person");
    for (const options of ["--trigger new-order --since 1h --dry-run", "--trigger new-order --since 1h"])
      expect(await run(`runs resume ${options}`)).toBe("");
    expect(await run("runs list --unresolved")).toBe("");
    expect(await run("runs replay --status failed")).toBe("");
    expect(rest).toEqual([]);
  });

  it.each([
    { database: "SQLite", orders: [11, 12, 13, 14, 15, 16] },
    { database: "Postgres", orders: [31, 32, 33, 34, 35, 36] },
  ])(
    "many resumed runs have exactly one effect per item, although workers are killed and two commands run at once, with $database",
    async ({ database, orders }) => {
      const project = await buildExample(database === "Postgres" ? await postgresSettings() : {});
      const first = await project.start();
      await sendOrders(project, orders);
      await project.untilEnded();
      const failed = await project.listed("--unresolved --status failed");
      expect(failed).toHaveLength(orders.length);

      project.fix();
      await project.cli("build");
      await first.stop();
      const service = await project.start();
      // The worst moments: effects have happened, and their steps are not recorded.
      let made = 0;
      let kills = 0;
      const callsBefore = warehouse.calls.length;
      warehouse.onEffect = () => {
        made += 1;
        if (made !== 1 && made !== 6) return true;
        kills += 1;
        for (const worker of workersOf(service)) process.kill(worker, "SIGKILL");
        return false;
      };
      const dry = await project.json<BulkDocument>("runs resume --trigger new-order --since 1h --dry-run");
      expect(dry).toMatchObject({ done: orders.length, failed: [] });
      expect(await project.listed("--unresolved")).toHaveLength(orders.length);
      const bulk = "runs resume --trigger new-order --since 1h --unresolved";
      const results = await Promise.all([1, 2].map(() => project.json<BulkDocument>(bulk)));
      expect(results.map(({ failed: none }) => none)).toEqual([[], []]);
      expect(
        results
          .flatMap(({ runs }) => runs)
          .map(({ id }) => id)
          .sort(),
      ).toEqual(failed.map(({ id }) => id).sort());
      await project.untilEnded();
      expect((await project.listed()).map(({ status }) => status)).toEqual(orders.map(() => "completed"));
      expect(kills).toBe(2);
      expect(warehouse.effects().filter((sku) => orders.includes(Number(sku.split("-")[1])))).toEqual(skusOf(orders));
      // The second and the third item of each order. The killed steps were repeated, with the same key.
      expect(warehouse.calls.length - callsBefore).toBeGreaterThan(2 * orders.length);
      expect(await project.json<BulkDocument>("runs resume --trigger new-order --since 1h")).toMatchObject({ done: 0 });
    },
  );

  it("a repeated bulk replay starts each run once, and the list says as which run", async () => {
    const project = await buildExample();
    project.fix();
    await project.cli("build");
    await project.start();
    warehouse.isDown = true;
    await sendOrders(project, [21, 22]);
    await project.untilEnded();
    warehouse.isDown = false;
    const bulk = "runs replay --status failed --trigger new-order --since 1h --limit 10";
    const replayed = await project.json<BulkDocument>(bulk);
    expect(replayed).toMatchObject({ done: 2, skipped: [], failed: [] });
    expect(await project.json<BulkDocument>(bulk)).toMatchObject({ done: 0, failed: [] });
    await project.untilEnded();
    expect(await project.json<BulkDocument>(bulk)).toMatchObject({ done: 0, failed: [] });
    const byId = new Map((await project.listed()).map((run) => [run.id, run]));
    expect(byId.size).toBe(4);
    for (const { id, replayedAs } of replayed.runs) {
      expect(byId.get(id)).toMatchObject({ status: "failed", replayedAs });
      expect(byId.get(replayedAs ?? "")).toMatchObject({ status: "completed" });
    }
    expect(await project.listed("--unresolved")).toEqual([]);
    // All steps of a replay execute again: the first item of each order is reserved twice.
    expect(warehouse.effects().filter((sku) => /^MUG-2[12]$/.test(sku))).toEqual([
      "MUG-21",
      "MUG-21",
      "MUG-22",
      "MUG-22",
    ]);
  });
});
