import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Backtest } from "../../server/contract/backtest.ts";
import type { DeliverySummary } from "../../server/contract/delivery.ts";
import type { DriftReport } from "../../server/contract/drift.ts";
import type { BuildList } from "../../server/contract/project/build.ts";
import type { Run, RunSummary } from "../../server/contract/run.ts";
import { cleanEnvironment } from "../../scripts/clean-environment.ts";
import { manyCleanups } from "../../scripts/cleanups.ts";
import { postJson } from "../support/api.ts";
import { repository, writeFiles } from "../support/project.ts";
import { type Service, startService } from "../support/service.ts";
import { shopProject } from "./shop-project.ts";

const eventually = { timeout: 120_000, interval: 250 };
const orders = [1, 2, 3, 4];

interface Shop {
  dir: string;
  service: Service;
  /** What the receiver of alerts got. */
  alerts: { headers: IncomingHttpHeaders; body: string }[];
  alertSecret: string;
}

/**
 * Tests how a deployed project is changed and recovered, with the product in `packages`: a `node_modules` folder with
 * the packed package. One service before the change, and one after it. The tests depend on those before them.
 */
export function testChanges(packages: () => string): void {
  let shop: Shop;
  const onCleanup = manyCleanups(afterAll);

  const program = () => [process.execPath, join(packages(), "signalbox/bin/signalbox.cjs")];

  function makeFolder(files: Record<string, string>): string {
    const folder = mkdtempSync(join(tmpdir(), "signalbox-shop-"));
    onCleanup(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    writeFiles(folder, files);
    symlinkSync(packages(), join(folder, "node_modules"));
    return folder;
  }

  /** Runs a command beside this process, which receives alerts. */
  function run(line: string, { cwd = shop.dir, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
    const [node = "", ...args] = [...program(), ...line.split(" ")];
    return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(node, args, { cwd, env: { ...cleanEnvironment(), ...env } }, (error, stdout, stderr) =>
        resolve({ status: error?.code ?? 0, stdout, stderr }),
      );
    });
  }

  async function cli(line: string): Promise<string> {
    const { status, stdout, stderr } = await run(line);
    expect([line, status, stderr]).toEqual([line, 0, expect.anything()]);
    return stdout;
  }

  const json = async <Document>(line: string) => JSON.parse(await cli(`${line} --json`)) as Document;
  const listRuns = async (filter: string) =>
    (await json<{ data: RunSummary[] }>(`runs list --limit 100 ${filter}`)).data;
  const ended = async (id: string) => JSON.parse((await run(`runs get ${id} --wait --json`)).stdout) as Run;

  const start = (dir: string, env: NodeJS.ProcessEnv) =>
    startService({ projectDir: dir, command: "start", program: program(), env }, onCleanup);

  /** The query of every URL, with the first key. */
  let query = "";

  const send = (endpoint: string, body: unknown) => postJson(`${shop.service.url}/triggers/${endpoint}${query}`, body);

  async function started(endpoint: string, body: unknown): Promise<string> {
    const response = await send(endpoint, body);
    const { runId } = (await response.json()) as { runId: string };
    expect([response.status, runId]).toEqual([202, expect.stringMatching(/^run_/)]);
    return runId;
  }

  const lines = (file: string) => readFileSync(join(shop.dir, file), "utf8").trim().split("\n");

  let failed: string[] = [];
  let asleep: string[] = [];

  describe("before a change", () => {
    beforeAll(async () => {
      const dir = makeFolder(shopProject("one"));
      const alerts: Shop["alerts"] = [];
      const receiver = createServer(async (request, response) => {
        let body = "";
        for await (const chunk of request) body += String(chunk);
        alerts.push({ headers: request.headers, body });
        response.writeHead(204).end();
      });
      await new Promise<void>((resolve) => void receiver.listen(0, "127.0.0.1", resolve));
      onCleanup(() => {
        receiver.closeAllConnections();
        receiver.close();
      });
      const alertSecret = `whsec_${randomBytes(32).toString("base64")}`;
      const built = await run("build", { cwd: dir });
      expect([built.status, built.stderr]).toEqual([0, ""]);
      const service = await start(dir, {
        SIGNALBOX_ALERT_WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
        SIGNALBOX_ALERT_WEBHOOK_SECRET: alertSecret,
      });
      shop = { dir, service, alerts, alertSecret };
      query = new URL(await cli("triggers url orders")).search;
      failed = await Promise.all(orders.map((n) => started("orders", { items: [`MUG-${n}`, `cap-${n}`, `PEN-${n}`] })));
      const gate = join(dir, "gate");
      asleep = await Promise.all(["a", "b"].map((id) => started("shipments", { id, gate })));
    });

    it("a step has retries of its own, its result has the type that is stored, and one that cannot be stored fails at once", async () => {
      const paid = await ended(await started("charges", { order: "o-1", cents: 500 }));
      expect(paid).toMatchObject({ status: "completed", attempt: 1, output: { at: "1970-01-01T00:00:00.000Z" } });
      const refunded = await ended(await started("charges", { order: "o-2", cents: -500 }));
      expect(refunded).toMatchObject({
        status: "failed",
        attempt: 1,
        error: { name: "NotJson", message: expect.stringContaining("step refund cannot be stored as JSON: /cents") },
      });
      expect(lines("charged.log")).toEqual(["o-1", "o-1", "o-2", "o-2"]);
      writeFiles(shop.dir, { "tsconfig.json": typeSettings });
      const types = await new Promise((resolve) =>
        execFile(
          process.execPath,
          [join(repository, "node_modules/typescript/lib/tsc.js"), "-p", "."],
          { cwd: shop.dir },
          (_, stdout, stderr) => resolve(stdout + stderr),
        ),
      );
      expect(types).toBe("");
    });

    it("a request to a similar endpoint gets its name, and doctor names the first broken link", async () => {
      const near = await send("order", {});
      expect([near.status, await near.json()]).toEqual([
        404,
        expect.objectContaining({ detail: expect.stringContaining('Did you mean "orders"?') }),
      ]);
      expect((await send("parcels", { parcel: 7 })).status).toBe(202);
      const doctor = await run("doctor parcels --json");
      expect([doctor.status, JSON.parse(doctor.stdout)]).toMatchObject([1, { ok: false, broken: "deliveries" }]);
      expect((await run("doctor parcel")).stdout).toContain('Did you mean "parcels"?');
    });

    it("a change of what a sender sends is named", async () => {
      for (let sent = 0; sent < 60; sent += 1) await send("issues", { action: "opened", issue: { type: "bug" } });
      for (let sent = 0; sent < 30; sent += 1) await send("issues", { action: "opened", issue: { type: 3 } });
      const { data } = await json<DriftReport>("triggers drift issues");
      expect(data.map(({ text }) => text)).toContain(
        "100 % stopped matching issues, all at /issue/type: number, expected a string",
      );
    });

    const patient = { timeout: 360_000 };
    it(
      "failed runs call onFailure once each, and one alert about them is delivered as a signed Standard Webhook",
      patient,
      async () => {
        await vi.waitFor(
          async () => expect(await listRuns("--trigger orders --status failed")).toHaveLength(orders.length),
          eventually,
        );
        const message = await vi.waitFor(() => {
          const found = shop.alerts.map(({ headers, body }) =>
            new Webhook(shop.alertSecret).verify(body, headers as Record<string, string>),
          ) as { type: string; data: { kind: string; subject: string } }[];
          const alert = found.find(({ data }) => data.subject === "workflow:reserve");
          if (!alert) throw new Error("There is no alert.");
          return alert;
        }, eventually);
        expect(message).toMatchObject({ type: "alert.opened", data: { kind: "run_failed", status: "active" } });
        await vi.waitFor(
          () =>
            expect(lines("failures.log").toSorted()).toEqual(
              failed.map((id, at) => `${id} The warehouse rejected cap-${orders[at]}`).toSorted(),
            ),
          eventually,
        );
        expect(await cli("alerts list")).toContain("runs of workflow reserve failed");
      },
    );

    it("a delivery that no trigger accepts is held, listed and explained", async () => {
      const response = await send("parcels", { parcel: 8 });
      expect([response.status, await response.json()]).toEqual([202, { ok: true, held: true }]);
      const { data } = await json<{ data: DeliverySummary[] }>("deliveries list --outcome held");
      expect(data.map(({ endpoint }) => endpoint)).toEqual(["parcels", "parcels"]);
      expect(await cli(`deliveries explain ${data[0]?.id}`)).toContain("/parcel: expected a string, got 8");
      expect(await json("deliveries release --all --dry-run")).toMatchObject({ dryRun: true, released: 0, held: 2 });
    });

    it("a backtest of the unchanged project reports nothing, and one of the change names each firing, also from another machine", async () => {
      const backtest = "triggers test --since 1d --fail-on-change --json";
      expect(await json<Backtest>("triggers test --since 1d --fail-on-change")).toMatchObject({ gained: 0, lost: 0 });
      writeFiles(shop.dir, shopProject("two"));
      const local = await run(backtest);
      const { secret } = await json<{ secret: string }>("keys create --api --scope read");
      const env = { SIGNALBOX_URL: shop.service.url, SIGNALBOX_TOKEN: secret };
      const remote = await run(backtest, { cwd: makeFolder(shopProject("two")), env });
      for (const { status, stdout } of [local, remote])
        expect([status, JSON.parse(stdout)]).toMatchObject([
          1,
          {
            gained: 2,
            lost: 2,
            failed: 0,
            triggers: [
              { trigger: "parcels", gained: 2, changes: [{ change: "gained", outcome: "request_mismatch" }, {}] },
              { trigger: "shipments", lost: 2, changes: [{ reasons: [{ pointer: "/email" }] }, {}] },
            ],
          },
        ]);
    });
  });

  describe("after a change", () => {
    it("open runs continue on the build that accepted them, which the build announces, and the service goes back to it", async () => {
      const strict = await run("build --check-open-runs --json");
      expect([strict.status, JSON.parse(strict.stdout)]).toMatchObject([
        1,
        { error: { code: "open_runs_misfit", openRuns: { openRuns: 2, misfits: 2, failing: 0 } } },
      ]);
      const built = await run("build");
      expect(built.stderr).toContain("2 of 2 open runs do not fit this build:");
      for (const id of asleep) expect(built.stderr).toContain(id);
      expect(await shop.service.stop()).toBe(0);
      shop.service = await start(shop.dir, {});
      const builds = await json<BuildList>("builds list");
      expect(builds.data).toMatchObject([
        { isCurrent: true, openRuns: 0 },
        { id: builds.previous, isCurrent: false, openRuns: 2 },
      ]);
      expect((await send("shipments", { id: "c" })).status).toBe(422);
      const fresh = await ended(await started("shipments", { id: "d", email: "ada@example.com" }));
      expect(fresh).toMatchObject({ status: "completed", output: { version: "two" } });
      writeFileSync(join(shop.dir, "gate"), "");
      for (const id of asleep)
        expect(await ended(id)).toMatchObject({ status: "completed", output: { version: "one" } });
      expect(lines("shipped.log").toSorted()).toEqual(
        ["a", "b", "d"].flatMap((id) => [`pack ${id}`, `send ${id}`]).toSorted(),
      );

      expect(await cli("builds rollback")).toBe(`${builds.previous} is the current build.\n`);
      const body = { id: "e", gate: join(shop.dir, "gate") };
      await vi.waitFor(async () => expect((await send("shipments", body)).status).toBe(202), eventually);
      await cli(`builds rollback ${builds.data[0]?.id}`);
      await vi.waitFor(async () => expect((await send("shipments", body)).status).toBe(422), eventually);
    });

    it("held deliveries are released, once", async () => {
      expect(await json("deliveries release --all")).toMatchObject({ released: 2, held: 0, failed: 0 });
      expect(await json("deliveries release --all")).toMatchObject({ released: 0, held: 0 });
      const { data } = await json<{ data: DeliverySummary[] }>("deliveries list --endpoint parcels");
      expect(data.map(({ outcome }) => outcome)).toEqual(["accepted", "accepted"]);
      for (const { verdicts } of data)
        expect(await ended(verdicts[0]?.runId ?? "")).toMatchObject({ status: "completed" });
      const again = await json<DeliverySummary>(`deliveries redeliver ${data[0]?.id}`);
      expect(again).toMatchObject({ outcome: "accepted", redeliveryOf: data[0]?.id });
      expect((await run("doctor parcels")).status).toBe(0);
    });

    it("a failed run is resumed after the fix: its finished step is not executed again", async () => {
      const [first = ""] = failed;
      await cli(`runs resume ${first}`);
      expect(await ended(first)).toMatchObject({ status: "completed", resumedAt: expect.any(String) });
      expect(lines("reserved.log").filter((key) => key.startsWith(first))).toEqual(
        ["MUG-1", "cap-1", "PEN-1"].map((item) => `${first}:reserve ${item}`),
      );
      expect(await cli(`runs get ${first}`)).toContain("resumed by a person");
    });

    it("all failed runs are resumed together after a dry run, and a second time nothing happens", async () => {
      const bulk = "runs resume --trigger orders --status failed --since 1h";
      expect(await json(`${bulk} --dry-run`)).toMatchObject({ isDryRun: true, done: 3 });
      expect(await listRuns("--trigger orders --unresolved")).toHaveLength(3);
      expect(await json(`${bulk} --limit 2`)).toMatchObject({ done: 2, isComplete: false });
      expect(await json(bulk)).toMatchObject({ done: 1, failed: [], isComplete: true });
      await vi.waitFor(async () => {
        const completed = (await listRuns("--trigger orders --status completed")).map(({ id }) => id);
        expect(completed).toEqual(expect.arrayContaining(failed));
      }, eventually);
      expect(await json(bulk)).toMatchObject({ done: 0, failed: [] });
      expect(await listRuns("--trigger orders --unresolved")).toEqual([]);
      expect(lines("reserved.log").toSorted()).toEqual(
        failed
          .flatMap((id, at) => ["MUG", "cap", "PEN"].map((item) => `${id}:reserve ${item}-${orders[at]}`))
          .toSorted(),
      );
      expect(await shop.service.stop()).toBe(0);
    });
  });
}

/** The types of Node are those of the repository: the project installs none. */
const typeSettings = JSON.stringify({
  compilerOptions: {
    target: "es2023",
    module: "preserve",
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    typeRoots: [join(repository, "node_modules/@types")],
    types: ["node"],
  },
  include: ["workflows", "triggers", "signalbox.config.ts"],
});
