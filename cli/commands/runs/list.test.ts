import { expect, it } from "vitest";
import { fakeRun, runFakeCli } from "../testing/fake-host.ts";

const at = fakeRun.createdAt;
const entry = { id: 1, at, attempt: 1, name: null, level: null, message: null, durationMs: null, until: null };

it("runs list marks executions of onFailure, and failures that a person has recovered", async () => {
  const data = [
    { ...fakeRun, id: "run_1", status: "completed", error: null, failureOf: "run_2", startedBy: "failure" },
    { ...fakeRun, id: "run_2", replayedAs: "run_3" },
    { ...fakeRun, id: "run_4", resumedAt: at },
  ];
  const { stdout } = await runFakeCli(["runs", "list"], {
    routes: { "GET /runs": () => ({ data, nextCursor: null }) },
  });
  const lines = stdout.split("\n");
  expect(lines[1]).toContain("run_1  workflow welcome-email (onFailure)");
  expect(lines[2]).toMatch(/run_2 {2}workflow welcome-email {2}.*replayed as run_3/);
  expect(lines[3]).toMatch(/run_4 .* resumed /);
});

it("runs get shows the line of code of a failure, and other data of the timeline as JSON", async () => {
  const source = { file: "workflows/a.ts", line: 7, column: 3, lines: [{ number: 7, text: "throw error;" }] };
  const error = { name: "Error", message: "no", stack: null };
  const timeline = [
    { ...entry, kind: "attempt_failed", error, data: { source } },
    { ...entry, id: 2, kind: "step_failed", name: "charge", error, data: { try: 1, maxTries: 3, source } },
    { ...entry, id: 3, kind: "log", level: "info", message: "charged", error: null, data: { cents: 5 } },
  ];
  const { stdout } = await runFakeCli(["runs", "get", fakeRun.id], {
    routes: {
      [`GET /runs/${fakeRun.id}`]: () => ({
        ...fakeRun,
        payload: null,
        input: null,
        output: null,
        error: { ...fakeRun.error, stack: null },
      }),
      [`GET /runs/${fakeRun.id}/timeline`]: () => ({ data: timeline, nextCursor: null }),
    },
  });
  expect(stdout).toMatch(/attempt failed +Error: no {2}workflows\/a\.ts:7\n/);
  expect(stdout).toMatch(/step failed: charge +Error: no {2}workflows\/a\.ts:7 {2}\{"try":1,"maxTries":3\}\n/);
  expect(stdout).toMatch(/info +charged {2}\{"cents":5\}\n/);
});

it("runs list and runs get show what a run waits for, and how its waits ended", async () => {
  const events = [{ source: "order-shipped", match: { "/order/id": "A1" } }];
  const waitsFor = { kind: "event", step: "shipped", events, until: "2026-12-05T10:00:00.000Z" };
  const run = { ...fakeRun, status: "waiting", error: null, finishedAt: null, waitsFor };
  const what = 'event order-shipped {"/order/id": "A1"} until 2026-12-05 10:00:00.000 UTC';
  const data = { deliveryId: "dlv_1", source: "order-paid" };
  const waiting = { ...entry, error: null, data: null };
  const timeline = [
    { ...waiting, kind: "wait_finished", name: "paid", data },
    { ...waiting, id: 2, kind: "wait_finished", name: "packed" },
    { ...waiting, id: 3, kind: "wait_started", name: "shipped", until: waitsFor.until, data: { events } },
  ];
  const routes = {
    "GET /runs": () => ({ data: [run], nextCursor: null }),
    [`GET /runs/${fakeRun.id}`]: () => ({ ...run, payload: null, input: null, output: null }),
    [`GET /runs/${fakeRun.id}/timeline`]: () => ({ data: timeline, nextCursor: null }),
  };
  expect((await runFakeCli(["runs", "list"], { routes })).stdout).toContain(what);
  const { stdout } = await runFakeCli(["runs", "get", fakeRun.id], { routes });
  expect(stdout).toMatch(/wait finished: paid +dlv_1 \(order-paid\)\n/);
  expect(stdout).toMatch(/wait finished: packed +timed out\n/);
  expect(stdout).toMatch(
    /wait started: shipped +until 2026-12-05T10:00:00.000Z {2}order-shipped \{"\/order\/id": "A1"\}\n/,
  );
  expect(stdout).toContain(what);
});

it("runs list and runs get show the child runs that a run has called, and its parent", async () => {
  const waitsFor = { kind: "child", runId: "run_2", count: 3 };
  const run = { ...fakeRun, status: "waiting", error: null, finishedAt: null, waitsFor, childOf: "run_0" };
  const target = { kind: "workflow", slug: "charge-card" };
  const waiting = { ...entry, error: null };
  const timeline = [
    { ...waiting, kind: "child_started", name: "charge", data: { runId: "run_2", target, isAwaited: true } },
    { ...waiting, id: 2, kind: "child_finished", name: "charge", data: { runId: "run_2", status: "timed_out" } },
  ];
  const routes = {
    "GET /runs": () => ({ data: [run], nextCursor: null }),
    [`GET /runs/${fakeRun.id}`]: () => ({ ...run, payload: null, input: null, output: null }),
    [`GET /runs/${fakeRun.id}/timeline`]: () => ({ data: timeline, nextCursor: null }),
  };
  const listed = await runFakeCli(["runs", "list", "--child-of", "run_0"], { routes });
  expect(listed.asked).toEqual(["GET /runs?childOf=run_0&limit=20"]);
  expect(listed.stdout).toContain("child run_2 and 2 more runs");
  const { stdout } = await runFakeCli(["runs", "get", fakeRun.id], { routes });
  expect(stdout).toMatch(/waits for +child run_2 and 2 more runs\n/);
  expect(stdout).toMatch(/child of +run_0\n/);
  expect(stdout).toMatch(/child started: charge +run_2 \(workflow charge-card\)\n/);
  expect(stdout).toMatch(/child finished: charge +run_2 \(timed out\)\n/);
});

it.each([
  ["runs", "--child-of", "bogus", "Must be the id of a run: run_…."],
  ["runs", "--replay-of", "dlv_1", "Must be the id of a run: run_…."],
  ["runs", "--delivery", "run_1", "Must be the id of a delivery: dlv_…."],
  ["deliveries", "--redelivery-of", "", "Must be the id of a delivery: dlv_…."],
])("%s list %s %j is rejected before the request", async (list, option, value, reason) => {
  const { asked, exitCode, stderr } = await runFakeCli([list, "list", option, value], { routes: {} });
  expect([asked, exitCode]).toEqual([[], 2]);
  expect(stderr).toContain(reason);
});

const logEntry = (id: number) => ({
  id,
  at: "2026-11-21T09:57:00.000Z",
  kind: "log",
  attempt: 1,
  name: null,
  level: "info",
  message: `entry ${id}.`,
  error: null,
  durationMs: null,
  until: null,
  data: null,
});

const shown = ({ stdout }: { stdout: string }) => [...stdout.matchAll(/entry (\d+)\./g)].map(([, id]) => Number(id));

/** Shows a run whose timeline has this number of entries. */
const show = (total: number, args: string[] = []) =>
  runFakeCli(["runs", "get", fakeRun.id, ...args], {
    routes: {
      [`GET /runs/${fakeRun.id}`]: () => ({
        ...fakeRun,
        error: null,
        payload: null,
        input: null,
        output: null,
      }),
      [`GET /runs/${fakeRun.id}/timeline`]({ query }) {
        const ids = Array.from({ length: total }, (_, n) => n + 1).filter(
          (id) => id > Number(query.get("cursor") ?? 0),
        );
        const data = ids.slice(0, 100).map(logEntry);
        return { data, nextCursor: ids.length > 100 ? String(data.at(-1)?.id) : null };
      },
    },
  });

it("runs get shows a timeline of several pages completely, and a longer one newest first with the cursor of older entries", async () => {
  const short = await show(100);
  expect(shown(short)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
  expect(short.stderr).not.toContain("Older");
  const long = await show(250);
  expect(shown(long)).toEqual(Array.from({ length: 100 }, (_, n) => 250 - n));
  expect(long.stderr).toContain("Older timeline entries: --cursor 151");
  const next = await show(250, ["--cursor", "151", "--limit", "60"]);
  expect(shown(next)).toEqual(Array.from({ length: 60 }, (_, n) => 150 - n));
  expect(next.stderr).toContain("--cursor 91");
  const last = await show(250, ["--cursor", "91"]);
  expect(shown(last)).toEqual(Array.from({ length: 90 }, (_, n) => 90 - n));
  expect(last.stderr).not.toContain("Older");
});
