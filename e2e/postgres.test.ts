import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findOrInstall } from "../scripts/test-tools.ts";
import { type PostgresCluster, startCluster } from "../scripts/postgres-cluster.ts";
import type { RecordedDeliveryLine } from "../server/contract/backtest.ts";
import type { Run } from "../server/contract/run.ts";
import type { TimelineEntry } from "../server/contract/timeline.ts";
import { isFed } from "../server/deliveries/feed.ts";
import { type Fleet, type Machine, openFleet } from "./machines/machine.ts";
import { notingProject } from "./machines/noting-project.ts";
import { exportDeliveries, getJson, postJson } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";

/**
 * Two that receive, three that work, and one that works with a newer build, on one database. The clock of one is an
 * hour ahead, of another an hour behind.
 */
describe("several machines on one Postgres", () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-noted-"));
  let cluster: PostgresCluster;
  let fleet: Fleet;
  let webs: Machine[];
  let workers: Machine[];
  let newer: Machine;
  let token = "";
  let key = "";
  /** Accepted first, and carried through last. */
  let longRun = "";

  beforeAll(async () => {
    cluster = await startCluster();
    const env = {
      SIGNALBOX_DATABASE_URL: cluster.url("postgres"),
      SIGNALBOX_SECRET: "a secret that all machines share",
    };
    fleet = openFleet({ files: notingProject("one"), env });
    // All at once, on a database that is empty.
    const [one, two, ...rest] = await Promise.all([
      fleet.start("web"),
      fleet.start("web", { env: clockAhead("-1h") }),
      fleet.start("worker"),
      fleet.start("worker", { env: clockAhead("+1h") }),
      fleet.start("worker"),
    ]);
    [webs, workers] = [[one, two], rest];
    token = (
      JSON.parse(
        signalbox(["keys", "create", "--api", "--scope", "admin", "--json"], { cwd: one.dir, env }).stdout,
      ) as { secret: string }
    ).secret;
    ({ secret: key } = await makeKey());
    [longRun = ""] = await sendNotes("long", { count: 1, gate: "go-on" });
    // Rolled out beside the older one.
    newer = await fleet.start("worker", { files: notingProject("two"), isFresh: true });
  });

  afterAll(async () => {
    await fleet?.close();
    await cluster?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const web = (at: number): Machine => webs[at] ?? newer;
  const auth = () => ({ authorization: `Bearer ${token}` });
  const api = (at: number, path: string, body: object = {}) => postJson(`${web(at).url}/api/v1${path}`, body, auth());
  const makeKey = async () =>
    (await (await api(0, "/keys", { kind: "webhook", name: "test", endpoints: null, expiresAt: null })).json()) as {
      id: string;
      secret: string;
    };
  const send = (to: number, endpoint: string, body: object, headers: Record<string, string> = {}) =>
    postJson(`${web(to).url}/triggers/${endpoint}`, body, { "x-api-key": key, ...headers });
  const readRun = (at: number, id: string) => getJson<Run>(`${web(at).url}/api/v1/runs/${id}`, auth());
  const timeline = async (id: string) =>
    (await getJson<{ data: TimelineEntry[] }>(`${web(0).url}/api/v1/runs/${id}/timeline`, auth())).data;
  const hasRecordedStep = async (id: string) => (await timeline(id)).some(({ kind }) => kind === "step_completed");
  const linesOf = (log: string) =>
    existsSync(join(folder, log)) ? readFileSync(join(folder, log), "utf8").trim().split("\n") : [];
  const stepsOf = (log: string) =>
    linesOf(log)
      .map((line) => line.split(" ").slice(0, 2).join(" "))
      .toSorted();

  /** Sends to both in turn; gives the runs. */
  function sendNotes(log: string, p: { count: number; ms?: number; gate?: string }): Promise<string[]> {
    const notes = Array.from({ length: p.count }, (_, n) => ({
      n,
      ms: p.ms ?? 0,
      log: join(folder, log),
      ...(p.gate ? { gate: join(folder, p.gate) } : {}),
    }));
    return Promise.all(notes.map(async (note) => runIdOf(await send(note.n % 2, "notes", note))));
  }

  /** Reads both webs in turn, and each run until it has completed. */
  function untilEnded(ids: readonly string[], within = 120_000): Promise<Run[]> {
    const runs: Run[] = [];
    return vi.waitFor(
      async () => {
        await Promise.all(
          ids.map(async (id, n) => runs[n]?.status === "completed" || (runs[n] = await readRun(n % 2, id))),
        );
        expect(runs.map(({ status }) => status)).toEqual(ids.map(() => "completed"));
        return runs;
      },
      { timeout: within, interval: 250 },
    );
  }

  it("both receive, runs are distributed, and a clock that is an hour wrong takes no runs from the others", async () => {
    const ids = await sendNotes("spread", { count: 40, ms: 300 });
    expect(await untilEnded(ids)).toMatchObject(ids.map(() => ({ output: { version: "one" } })));
    expect(stepsOf("spread")).toEqual(everyStepOnce(40));
    expect(new Set(linesOf("spread").map((line) => line.split(" ")[2])).size).toBeGreaterThan(1);
    expect((await Promise.all(ids.map(timeline))).flat().map(({ kind }) => kind)).not.toContain("worker_lost");
    expect(
      [...webs, ...workers].map((machine) => machine.output().includes("clock differs from the clock of the database")),
    ).toEqual([false, true, false, true, false]);
    for (const { url } of [...webs, ...workers]) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it("equal deliveries to both start one run, and concurrency and rate limits apply across all of them", async () => {
    const log = join(folder, "singles");
    const ids = await Promise.all(
      Array.from({ length: 10 }, async (_, n) =>
        runIdOf(await send(n % 2, "singles", { n: n >> 1, log }, { "idempotency-key": `single ${n >> 1}` })),
      ),
    );
    const distinct = [...new Set(ids)];
    expect(distinct).toHaveLength(5);
    const seldom = await Promise.all(
      Array.from({ length: 10 }, (_, n) => send(n % 2, "seldom", { n, ms: 0, log: join(folder, "seldom") })),
    );
    expect(seldom.map(({ status }) => status).toSorted()).toEqual([202, 202, 202, 202, 202, 429, 429, 429, 429, 429]);
    await untilEnded(distinct);
    expect(linesOf("singles").map((line) => line.split(" ")[1])).toEqual(
      Array.from({ length: 10 }, (_, n) => (n % 2 ? "end" : "begin")),
    );
  });

  it("a run canceled on one machine stops on another, and a request that waits for it there is answered", async () => {
    const [id = ""] = await sendNotes("canceled", { count: 1, ms: 600_000 });
    await vi.waitFor(() => expect(linesOf("canceled")).toHaveLength(1));
    const heard = getJson<Run>(`${web(0).url}/api/v1/runs/${id}?wait=30`, auth());
    expect((await api(1, `/runs/${id}/cancel`)).status).toBe(200);
    expect(await heard).toMatchObject({ status: "canceled" });
  });

  it("a trigger disabled on one machine, and a key revoked on one, are rejected on the other afterwards", async () => {
    const note = { n: 0, ms: 0, log: join(folder, "rejected") };
    expect((await api(0, "/triggers/notes/disable")).status).toBe(200);
    for (const at of [1, 0]) expect(await (await send(at, "notes", note)).json()).toEqual({ ok: true, skipped: true });
    expect((await api(1, "/triggers/notes/enable")).status).toBe(200);
    const other = await makeKey();
    await runIdOf(await send(1, "notes", note, { "x-api-key": other.secret }));
    expect((await api(0, `/keys/${other.id}/revoke`)).ok).toBe(true);
    for (const at of [1, 0]) expect((await send(at, "notes", note, { "x-api-key": other.secret })).status).toBe(401);
  });

  it("what both receive at once runs on a laptop, each delivery once and byte for byte", async () => {
    const laptop = await startService({
      projectDir: writeProject(notingProject("one")),
      command: "dev",
      args: ["--from", web(0).url, "--since", "3h", "--match-only"],
      env: { SIGNALBOX_TOKEN: token },
    });
    await untilEnded(await sendNotes("fed", { count: 60 }));
    const sent = contentsOf((await exportDeliveries(web(1), auth())).filter(isFed));
    expect(sent.length).toBeGreaterThan(60);
    await vi.waitFor(async () => expect(contentsOf(await exportDeliveries(laptop))).toEqual(sent), {
      interval: 250,
    });
    expect(await getJson(`${laptop.url}/api/v1/runs/count`)).toMatchObject({ count: 0 });
    expect(await laptop.stop()).toBe(0);
  });

  it("the runs of a killed machine are taken over within 15 seconds, and no finished step is executed again", async () => {
    const ids = await sendNotes("taken-over", { count: 30, gate: "taken" });
    // An effect whose record is still on its way may be repeated.
    await vi.waitFor(async () => expect(await Promise.all(ids.map(hasRecordedStep))).not.toContain(false));
    expect(stepsOf("taken-over")).toHaveLength(30);
    await workers.shift()?.kill();
    writeFileSync(join(folder, "taken"), "");
    // Ten seconds more for a busy machine, which also executes the rest of the runs.
    await untilEnded(ids, 25_000);
    expect(stepsOf("taken-over")).toEqual(everyStepOnce(30));
  });

  it("after the database is killed and restarted, all machines recover by themselves, and no accepted delivery is lost", async () => {
    const ids = await sendNotes("outage", { count: 20, ms: 1_000 });
    await cluster.kill();
    expect((await send(0, "notes", { n: 1, ms: 0, log: join(folder, "outage") })).status).toBe(503);
    await cluster.start();
    const later = { n: 20, ms: 0, log: join(folder, "outage") };
    const after = await vi.waitFor(async () => runIdOf(await send(1, "notes", later)), {
      interval: 250,
    });
    await untilEnded([...ids, after]);
    for (const { child } of [...webs, ...workers, newer]) expect(child.exitCode).toBeNull();
  });

  it("runs of a version continue on the newest when its last worker is stopped, and say so", async () => {
    expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual(workers.map(() => 0));
    writeFileSync(join(folder, "go-on"), "");
    expect(await untilEnded([longRun])).toMatchObject([{ output: { version: "two" } }]);
    const entries = await timeline(longRun);
    expect(entries.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^Executed by version \w+: no worker has version \w+, which accepted the run/),
    );
    expect(stepsOf("long")).toEqual(everyStepOnce(1));
  });

  it("without any worker, web processes are not ready but continue to receive; on SIGTERM every machine exits by itself", async () => {
    expect(await newer.stop()).toBe(0);
    for (const { url } of webs)
      expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
        ok: false,
        reasons: ["No worker has reported in the last 15 seconds."],
        warnings: [],
      });
    await sendNotes("later", { count: 2 });
    expect(await Promise.all(webs.map((machine) => machine.stop()))).toEqual([0, 0]);
  });
});

async function runIdOf(response: Response): Promise<string> {
  const body = (await response.json()) as { runId: string };
  expect({ status: response.status, body }).toMatchObject({ status: 202 });
  return body.runId;
}

/** The ids and the bytes. */
function contentsOf(deliveries: RecordedDeliveryLine[]): string[] {
  return deliveries.map(({ id, body }) => `${id} ${body}`).toSorted();
}

function everyStepOnce(count: number): string[] {
  return Array.from({ length: count }, (_, n) => [`${n} first`, `${n} second`])
    .flat()
    .toSorted();
}

function clockAhead(by: string): NodeJS.ProcessEnv {
  return {
    LD_PRELOAD: findOrInstall("libfaketime"),
    FAKETIME: by,
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    DONT_FAKE_MONOTONIC: "1",
    NO_FAKE_STAT: "1",
  };
}
