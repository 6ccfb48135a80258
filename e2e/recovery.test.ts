import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { cleanEnvironment } from "../scripts/clean-environment.ts";
import { freePort } from "../scripts/free-port.ts";
import { startCluster } from "../scripts/postgres-cluster.ts";
import { childrenOf } from "./auditor/processes.ts";
import { getJson, postJson } from "./support/api.ts";
import { cliFile, repository, writeProject } from "./support/project.ts";
import { type Service, startService } from "./support/service.ts";
import { inTerminal } from "./support/terminal.ts";

const page = readFileSync(join(repository, "docs/recovery.md"), "utf8");

/** The files of the page's example. */
const files = Object.fromEntries(
  [...page.matchAll(/```ts\n\/\/ (\S+)\n([^]*?)```/g)].map(([, path = "", text = ""]) => [path, text]),
);
const [, warehouseProgram = ""] = /```js\n\/\/ warehouse.js\n([^]*?)```/.exec(page) ?? [];

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
  const env = { WAREHOUSE_URL: warehouseUrl, SIGNALBOX_WORKERS: "2", ...settings };
  /** Its output. Every command succeeds. */
  const cli = async (line: string): Promise<string> => {
    const { status, stdout, stderr } = await runCommand(projectDir, line, env);
    expect([line, status, stderr]).toEqual([line, 0, expect.anything()]);
    return stdout;
  };
  const json = async <Document>(line: string) => JSON.parse(await cli(`${line} --json`)) as Document;
  const listed = async (filter = "") => (await json<{ data: RunDocument[] }>(`runs list --limit 100 ${filter}`)).data;
  await cli("build");
  const { secret } = await json<{ secret: string }>("keys create --api --scope admin");
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

/** Starts the warehouse of the page on another port. `output` is what it printed. */
async function startPageWarehouse() {
  const port = await freePort();
  const dir = writeProject({ "warehouse.js": warehouseProgram.replace("4000", String(port)) });
  const child = spawn(process.execPath, ["warehouse.js"], { cwd: dir, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url, { method: "POST", body: '{"sku":"none"}' }), { interval: 50 });
  return { url, output: () => output };
}

/** The settings of a store in a Postgres of the test's own. */
async function postgresSettings(): Promise<NodeJS.ProcessEnv> {
  const cluster = await startCluster();
  onTestFinished(() => cluster.remove());
  return { SIGNALBOX_DATABASE_URL: cluster.url("postgres") };
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
    const { url, output: reserved } = await startPageWarehouse();
    const project = await buildExample({ WAREHOUSE_URL: url });
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
    expect(reserved()).toBe("reserved MUG-1\n");
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
    expect(reserved()).toBe("reserved MUG-1\nreserved CAP-2\nreserved PEN-3\n");
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
    "many resumed runs have exactly one effect per item, although workers and the whole service are killed and two commands run at once, with $database",
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
        if (kills === 1) for (const worker of workersOf(service)) process.kill(worker, "SIGKILL");
        else void service.killGroup();
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
      await vi.waitFor(() => expect(kills).toBe(2), { timeout: 120_000, interval: 100 });
      await service.killGroup();
      await project.start();
      await project.untilEnded();
      expect((await project.listed()).map(({ status }) => status)).toEqual(orders.map(() => "completed"));
      expect(warehouse.effects().filter((sku) => orders.includes(Number(sku.split("-")[1])))).toEqual(skusOf(orders));
      // The second and the third item of each order. The killed steps were repeated, with the same key.
      expect(warehouse.calls.length - callsBefore).toBeGreaterThan(2 * orders.length);
      expect(await project.json<BulkDocument>("runs resume --trigger new-order --since 1h")).toMatchObject({ done: 0 });
    },
  );

  it("a bulk replay shows its progress, ends at Ctrl-C, and starts each run once when it is repeated; the list says as which run", async () => {
    const project = await buildExample();
    project.fix();
    await project.cli("build");
    const service = await project.start();
    warehouse.isDown = true;
    // More than one call of the command replays.
    const orders = Array.from({ length: 51 }, (_, n) => 100 + n);
    await sendOrders(project, orders);
    await project.untilEnded();
    warehouse.isDown = false;
    const bulk = "runs replay --status failed --trigger new-order --since 1h --limit 60";
    const { secret } = await project.json<{ secret: string }>("keys create --api --scope admin");
    const interrupted = await interruptInTerminal(bulk, { url: service.url, token: secret });
    expect(interrupted).toMatchObject({
      status: 130,
      screen: expect.stringMatching(/█+░* +\d+ % {2}replaying/),
    });
    const rest = await project.json<BulkDocument>(bulk);
    expect(rest).toMatchObject({ failed: [] });
    expect(rest.done).toBeLessThanOrEqual(1);
    expect(await project.json<BulkDocument>(bulk)).toMatchObject({ done: 0, failed: [] });
    await project.untilEnded();
    expect(await project.json<BulkDocument>(bulk)).toMatchObject({ done: 0, failed: [] });
    const failed = await project.listed("--status failed");
    const completed = await project.listed("--status completed");
    expect(failed).toHaveLength(orders.length);
    expect(failed.map(({ replayedAs }) => replayedAs).sort()).toEqual(completed.map(({ id }) => id).sort());
    expect(await project.listed("--unresolved")).toEqual([]);
    // All steps of a replay execute again: the first item of each order is reserved twice.
    expect(warehouse.effects().filter((sku) => /^MUG-1\d\d$/.test(sku))).toEqual(
      orders.flatMap((n) => [`MUG-${n}`, `MUG-${n}`]),
    );
  });
});

/**
 * Runs a command of several calls in a terminal, and types Ctrl-C while the service works on the first one. The service
 * is behind a proxy, which is so slow that the command shows its progress.
 */
async function interruptInTerminal(line: string, { url, token }: { url: string; token: string }) {
  let screen = "";
  let isInterrupted = false;
  const proxy = createServer((request, response) => void forward(request, response));
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/", headers } = request;
    const body = await readText(request);
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: headers.authorization ?? "", "content-type": headers["content-type"] ?? "" },
      ...(method === "POST" && { body }),
    });
    const text = await answer.text();
    if (path.includes("/runs/count")) await new Promise((resolve) => setTimeout(resolve, 300));
    if (path.includes("/runs/bulk") && !isInterrupted) {
      isInterrupted = true;
      terminal.stdin.write("\u0003");
      await vi.waitFor(() => expect(screen).toContain("^C"), { interval: 20 });
    }
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(text);
  }
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  const [program = "", ...args] = inTerminal;
  const terminal = spawn(program, [...args, ...line.split(" ")], {
    env: {
      ...cleanEnvironment(),
      SIGNALBOX_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      SIGNALBOX_TOKEN: token,
      NO_COLOR: "1",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => (screen += text));
  const status = await new Promise((resolve) => terminal.once("close", resolve));
  proxy.closeAllConnections();
  proxy.close();
  return { status, screen };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
