import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Alert } from "../../server/contract/alert.ts";
import type { Backtest } from "../../server/contract/backtest.ts";
import type { DeliverySummary } from "../../server/contract/delivery.ts";
import type { DriftReport } from "../../server/contract/drift.ts";
import type { BuildList } from "../../server/contract/project/build.ts";
import type { BulkPage } from "../../server/contract/run-bulk.ts";
import type { Run, RunSummary } from "../../server/contract/run.ts";
import { cleanEnvironment } from "../../scripts/clean-environment.ts";
import { manyCleanups } from "../../scripts/cleanups.ts";
import { getJson, postJson } from "../support/api.ts";
import { messagesOf, visit } from "../support/browser.ts";
import { repository, writeFiles } from "../support/project.ts";
import { type Service, startService } from "../support/service.ts";
import { signInWithToken } from "../support/sign-in.ts";
import { shopProject } from "./shop-project.ts";

const eventually = { timeout: 120_000, interval: 250 };

/** A report that compares all deliveries: on a slow machine, one reads a part of them, and the next one continues. */
const whole = (read: () => Promise<DriftReport>) =>
  vi.waitFor(async () => {
    const report = await read();
    expect(report.compared.filter(({ isComplete }) => !isComplete)).toEqual([]);
    return report;
  }, eventually);

const orders = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const parcels = [7, 8, 9, 10];

/** An event of the kind that `action` names. */
const issueOf = (action: string, issue: object) => ({
  action,
  issue: { type: "bug", title: "A title", state: "open", ...issue },
});
/** By kind: how a sender changes its events, and what is said about it. */
const mutations = {
  opened: { issue: { type: 3 }, text: "/issue/type: number, before string, in all of 50 deliveries" },
  edited: { issue: { title: undefined }, text: "/issue/title is missing, in all of 50 deliveries" },
  closed: { issue: { labels: [] }, text: "/issue/labels is new (array), in all of 50 deliveries" },
  reopened: { issue: { state: "gone" }, text: '/issue/state has the new value "gone", in all of 50 deliveries' },
};

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
  /** An API token. */
  let token = "";

  const headers = () => ({ authorization: `Bearer ${token}` });
  const get = <Document>(path: string) => getJson<Document>(`${shop.service.url}/api/v1${path}`, headers());

  async function post<Document>(path: string, body: unknown = {}): Promise<Document> {
    const response = await postJson(`${shop.service.url}/api/v1${path}`, body, headers());
    const document = (await response.json()) as Document;
    expect([path, response.ok, document]).toEqual([path, true, document]);
    return document;
  }

  /** A page of the app, to whose visitor the token belongs. */
  async function openApp(path: string) {
    const { page, errors } = await visit(shop.service.url, { reducedMotion: "reduce" });
    await page.goto(shop.service.url + path);
    await signInWithToken(page, token);
    return { page, errors };
  }

  const send = (endpoint: string, body: unknown) => postJson(`${shop.service.url}/triggers/${endpoint}${query}`, body);

  async function started(endpoint: string, body: unknown): Promise<string> {
    const response = await send(endpoint, body);
    const { runId } = (await response.json()) as { runId: string };
    expect([response.status, runId]).toEqual([202, expect.stringMatching(/^run_/)]);
    return runId;
  }

  const lines = (file: string) => readFileSync(join(shop.dir, file), "utf8").trim().split("\n");
  const reservationsOf = (id: string) => lines("reserved.log").filter((key) => key.startsWith(`${id}:`));

  let failed: string[] = [];
  /** The run whose transform has failed. */
  let withoutInput = "";
  let asleep: string[] = [];
  /** The run that follows the latest build. */
  let polling = "";

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
      token = (await json<{ secret: string }>("keys create --api --scope admin")).secret;
      failed = await Promise.all(orders.map((n) => started("orders", { items: [`MUG-${n}`, `cap-${n}`, `PEN-${n}`] })));
      withoutInput = await started("orders", { items: ["none"] });
      const gate = join(dir, "gate");
      asleep = await Promise.all(["a", "b"].map((id) => started("shipments", { id, gate })));
      polling = await started("polls", { gate });
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
      const rejected = await ended(await started("charges", { order: "o-3", cents: 0 }));
      expect(rejected).toMatchObject({
        status: "failed",
        attempt: 1,
        error: { message: "There is nothing to charge" },
      });
      expect(lines("charged.log")).toEqual(["o-1", "o-1", "o-2", "o-2", "o-3"]);
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
      await cli("triggers disable parcels");
      expect(JSON.parse((await run("doctor parcels --json")).stdout)).toMatchObject({ ok: false, broken: "triggers" });
      await cli("triggers enable parcels");
    });

    it("a sender that adds, drops and retypes a field, and sends a new value, is noticed within 50 deliveries of each, on the command line, by the API and on the sheet", async () => {
      const kinds = Object.entries(mutations);
      for (let sent = 0; sent < 30; sent += 1) for (const [kind] of kinds) await send("issues", issueOf(kind, {}));
      expect((await whole(() => json<DriftReport>("triggers drift"))).data).toEqual([]);
      for (let sent = 0; sent < 50; sent += 1)
        for (const [kind, { issue }] of kinds) await send("issues", issueOf(kind, issue));
      const stopped = "100 % stopped matching issues, all at /issue/type: number, expected a string";
      const expected = [["opened", stopped], ...kinds.map(([kind, { text }]) => [kind, text])].toSorted();
      const { data } = await whole(() => json<DriftReport>("triggers drift issues"));
      expect(data.map(({ kind, text }) => [kind, text]).toSorted()).toEqual(expected);
      expect((await whole(() => get<DriftReport>("/drift?endpoint=issues"))).data).toEqual(data);
      const { checks } = await json<{ checks: { name: string; message: string }[] }>("doctor issues");
      expect(checks.find(({ name }) => name === "changes")?.message).toBe(stopped);
      const { page, errors } = await openApp("/?node=endpoint:issues");
      const sheet = page.getByRole("complementary", { name: "endpoint issues", exact: true });
      for (const [, text = ""] of expected) await sheet.getByText(text, { exact: true }).waitFor();
      expect(errors).toEqual([]);
    });

    const patient = { timeout: 360_000 };
    it(
      "failed runs call onFailure once each, and one alert about them is delivered as a signed Standard Webhook",
      patient,
      async () => {
        await vi.waitFor(
          async () => expect(await listRuns("--trigger orders --status failed")).toHaveLength(orders.length + 1),
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
              [
                ...failed.map((id, at) => `${id} The warehouse rejected cap-${orders[at]}`),
                `${withoutInput} The transform of trigger orders threw Error: There is no such item`,
              ].toSorted(),
            ),
          eventually,
        );
        const title = `${orders.length + 1} runs of workflow reserve failed`;
        await vi.waitFor(
          async () =>
            expect((await get<{ data: Alert[] }>("/alerts")).data.map((alert) => alert.title)).toContain(title),
          eventually,
        );
        expect(await cli("alerts list")).toContain(title);
        const { page, errors } = await openApp("/alerts");
        await page.getByRole("link", { name: title }).waitFor();
        expect(errors).toEqual([]);
      },
    );

    it("a delivery that no trigger accepts is held, listed and explained", async () => {
      for (const parcel of parcels.slice(1)) {
        const response = await send("parcels", { parcel });
        expect([response.status, await response.json()]).toEqual([202, { ok: true, held: true }]);
      }
      const first = await json<{ data: DeliverySummary[]; nextCursor: string }>(
        "deliveries list --outcome held --limit 3",
      );
      const rest = await json<{ data: DeliverySummary[] }>(
        `deliveries list --outcome held --limit 3 --cursor ${first.nextCursor}`,
      );
      const data = [...first.data, ...rest.data];
      expect(data.map(({ endpoint }) => endpoint)).toEqual(parcels.map(() => "parcels"));
      expect((await get<{ data: DeliverySummary[] }>("/deliveries?outcome=held")).data).toEqual(data);
      expect(await cli(`deliveries get ${data[0]?.id}`)).toContain(`"parcel": ${parcels.at(-1)}`);
      expect(await cli(`deliveries explain ${data[0]?.id}`)).toContain(
        `/parcel: expected a string, got ${parcels.at(-1)}`,
      );
      expect(await json("deliveries release --all --dry-run")).toMatchObject({
        dryRun: true,
        released: 0,
        held: parcels.length,
      });
    });

    it("a backtest of the unchanged project reports no change, only the transform that fails, and one of the change names each firing, also from another machine", async () => {
      const backtest = "triggers test --since 1d --input --fail-on-change --json";
      expect(await json<Backtest>("triggers test --since 1d --fail-on-change")).toMatchObject({ gained: 0, lost: 0 });
      expect(await json<Backtest>("triggers test --since 1d --input")).toMatchObject({
        gained: 0,
        lost: 0,
        failed: 1,
        triggers: [{ trigger: "orders", failures: [{ name: "TransformFailed" }] }],
      });
      expect(await get<Backtest>("/backtest?endpoint=parcels")).toMatchObject({
        compared: parcels.length,
        gained: 0,
        lost: 0,
      });
      writeFiles(shop.dir, shopProject("two"));
      const local = await run(backtest);
      const { secret } = await json<{ secret: string }>("keys create --api --scope read");
      const env = { SIGNALBOX_URL: shop.service.url, SIGNALBOX_TOKEN: secret };
      const remote = await run(backtest, { cwd: makeFolder(shopProject("two")), env });
      for (const { status, stdout } of [local, remote])
        expect([status, JSON.parse(stdout)]).toMatchObject([
          1,
          {
            gained: parcels.length,
            lost: 2,
            failed: 0,
            triggers: [
              {
                trigger: "parcels",
                gained: parcels.length,
                changes: parcels.map(() => ({
                  change: "gained",
                  outcome: "request_mismatch",
                  reasons: [{ pointer: "/parcel", expected: "a string" }],
                  url: expect.stringMatching(new RegExp(`^${shop.service.url}/deliveries/dlv_`)),
                })),
              },
              { trigger: "shipments", lost: 2, changes: [{ reasons: [{ pointer: "/email" }] }, {}] },
            ],
          },
        ]);
    });
  });

  describe("after a change", () => {
    it("open runs continue on the build that accepted them, which the build and the start announce, or on the latest one", async () => {
      const strict = await run("build --check-open-runs --json");
      expect([strict.status, JSON.parse(strict.stdout)]).toMatchObject([
        1,
        { error: { code: "open_runs_misfit", openRuns: { openRuns: 3, misfits: 2, failing: 0 } } },
      ]);
      const built = await run("build");
      expect(built.stderr).toContain("2 of 3 open runs do not fit this build:");
      for (const id of asleep) expect(built.stderr).toContain(id);
      expect(await shop.service.stop()).toBe(0);
      shop.service = await start(shop.dir, {});
      expect(shop.service.output()).toContain("2 of 3 open runs do not fit this build");
      for (const id of asleep) expect(shop.service.output()).toContain(id);
      const builds = await json<BuildList>("builds list");
      expect(builds.data).toMatchObject([{ isCurrent: true }, { id: builds.previous, isCurrent: false }]);
      expect(builds.data[1]?.openRuns).toBeGreaterThanOrEqual(asleep.length);
      expect((await get<BuildList>("/builds")).data.map(({ id }) => id)).toEqual(builds.data.map(({ id }) => id));
      expect((await send("shipments", { id: "c" })).status).toBe(422);
      const fresh = await ended(await started("shipments", { id: "d", email: "ada@example.com" }));
      expect(fresh).toMatchObject({ status: "completed", output: { version: "two" } });
      writeFileSync(join(shop.dir, "gate"), "");
      for (const id of asleep)
        expect(await ended(id)).toMatchObject({ status: "completed", output: { version: "one" } });
      expect(await ended(polling)).toMatchObject({ status: "completed", output: { version: "two" } });
      expect(lines("shipped.log").toSorted()).toEqual(
        ["a", "b", "d"].flatMap((id) => [`pack ${id}`, `send ${id}`]).toSorted(),
      );
    });

    it("the service goes back to the build before, and forward again, by the command line, the API and the app, which first shows what would fire differently", async () => {
      const { data, previous } = await json<BuildList>("builds list");
      const newer = data[0]?.id;
      const body = { id: "e", gate: join(shop.dir, "gate") };
      const untilStatus = (status: number) =>
        vi.waitFor(async () => expect((await send("shipments", body)).status).toBe(status), eventually);
      expect(await cli("builds rollback")).toBe(`${previous} is the current build.\n`);
      await untilStatus(202);
      await post(`/builds/${newer}/rollback`);
      await untilStatus(422);

      const { page, errors } = await openApp("/settings/builds");
      const row = page.getByRole("table", { name: "Builds" }).getByRole("row", { name: new RegExp(`${previous}`) });
      await row.getByRole("button", { name: "Make current" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Compare", exact: true }).click();
      const changed = dialog.getByRole("region", { name: "Differences of shipments → ship" });
      await changed
        .getByText(/^now request mismatch, \/gate: expected a string/)
        .first()
        .waitFor();
      await dialog.getByRole("button", { name: "Make current" }).click();
      await untilStatus(202);
      expect(errors).toEqual([]);
      await cli(`builds rollback ${newer}`);
      await untilStatus(422);
    });

    it("held deliveries are released, each once, by the command line, the API and the app", async () => {
      const held = (await json<{ data: DeliverySummary[] }>("deliveries list --outcome held")).data.map(({ id }) => id);
      expect(await json(`deliveries release ${held[0]}`)).toMatchObject({ released: 1 });
      for (const result of ["released", "already_released"])
        expect(await post(`/deliveries/${held[1]}/release`)).toMatchObject({ result });
      const { page, errors } = await openApp(`/deliveries/${held[2]}`);
      await page.getByRole("button", { name: "Release" }).click();
      await messagesOf(page).getByText("Released: 1 run started.").waitFor();
      expect(errors).toEqual([]);
      expect(await json("deliveries release --all")).toMatchObject({ released: 1, held: 0, failed: 0 });
      expect(await json("deliveries release --all")).toMatchObject({ released: 0, held: 0 });
      const { data } = await json<{ data: DeliverySummary[] }>("deliveries list --endpoint parcels");
      expect(data.map(({ outcome }) => outcome)).toEqual(parcels.map(() => "accepted"));
      for (const { verdicts } of data)
        expect(await ended(verdicts[0]?.runId ?? "")).toMatchObject({ status: "completed" });
      const again = await json<DeliverySummary>(`deliveries redeliver ${data[0]?.id}`);
      expect(again).toMatchObject({ outcome: "accepted", redeliveryOf: data[0]?.id });
      expect((await run("doctor parcels")).status).toBe(0);
    });

    it("a failed run is resumed after the fix by the command line, the API and the app: its finished step is not executed again", async () => {
      const [byCommand = "", byApi = "", byApp = ""] = failed;
      await cli(`runs resume ${byCommand}`);
      await post(`/runs/${byApi}/resume`);
      const { page, errors } = await openApp(`/runs/${byApp}`);
      await page.getByRole("button", { name: "Resume", exact: true }).click();
      await messagesOf(page).getByText("Resumed.").waitFor();
      expect(errors).toEqual([]);
      for (const [at, id] of [byCommand, byApi, byApp].entries()) {
        expect(await ended(id)).toMatchObject({ status: "completed", resumedAt: expect.any(String) });
        expect(reservationsOf(id)).toEqual(["MUG", "cap", "PEN"].map((item) => `${id}:reserve ${item}-${orders[at]}`));
      }
      expect(await cli(`runs get ${byCommand}`)).toContain("resumed by a person");
    });

    it("a run whose transform failed is resumed with the transform of the fix", async () => {
      await cli(`runs resume ${withoutInput}`);
      expect(await ended(withoutInput)).toMatchObject({ status: "completed", input: { items: ["none"] } });
    });

    it("a replay is a new run from the beginning: every step executes again, and the lists name it", async () => {
      const old = failed[3] ?? "";
      const replayed = await run(`runs replay ${old}`);
      expect(replayed.stderr).toContain("from the beginning, as a new run");
      const replay = replayed.stdout.trim();
      expect(await ended(replay)).toMatchObject({ status: "completed", replayOf: old });
      expect([reservationsOf(old).length, reservationsOf(replay).length]).toEqual([1, 3]);
      expect(await cli("runs list --trigger orders --status failed")).toContain(`replayed as ${replay}`);
      expect((await run(`runs resume ${old}`)).stderr).toContain("was not resumed");
    });

    it("all failed runs are resumed together after a dry run, and a second time nothing happens, by the command line, the API and the app", async () => {
      const bulk = "runs resume --trigger orders --status failed --since 1h";
      const left = failed.slice(4);
      expect(await json(`${bulk} --dry-run`)).toMatchObject({ isDryRun: true, done: left.length });
      expect(await listRuns("--trigger orders --unresolved")).toHaveLength(left.length);
      expect(await json(`${bulk} --limit 2`)).toMatchObject({ done: 2, isComplete: false });
      const request = { action: "resume", filter: { trigger: "orders", unresolved: true } };
      expect(await post<BulkPage>("/runs/bulk", { ...request, limit: 1 })).toMatchObject({ done: 1, failed: [] });

      const { page, errors } = await openApp("/runs?trigger=orders&unresolved=true");
      const table = page.getByRole("table", { name: "Runs" });
      // On a busy machine, the page may not react yet.
      await vi.waitFor(async () => {
        await table.getByRole("checkbox", { name: "Select all listed rows" }).check();
        await page.getByRole("button", { name: "Resume", exact: true }).click({ timeout: 5_000 });
      }, 60_000);
      await page.getByRole("dialog", { name: "Resume 2 runs?" }).getByRole("button", { name: "Resume 2 runs" }).click();
      await page.getByRole("dialog", { name: "Resumed" }).getByText("2 of 2").waitFor();
      expect(errors).toEqual([]);

      for (const id of left) expect(await ended(id)).toMatchObject({ status: "completed" });
      expect(await json(bulk)).toMatchObject({ done: 0, failed: [] });
      expect(await json(bulk.replace("resume", "replay"))).toMatchObject({ done: 0, failed: [] });
      expect(await post<BulkPage>("/runs/bulk", request)).toMatchObject({ done: 0, failed: [] });
      expect(await listRuns("--trigger orders --unresolved")).toEqual([]);
      for (const [at, id] of left.entries())
        expect(reservationsOf(id)).toEqual(
          ["MUG", "cap", "PEN"].map((item) => `${id}:reserve ${item}-${orders[at + 4]}`),
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
