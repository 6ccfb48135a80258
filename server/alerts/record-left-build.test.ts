import { expect, it, onTestFinished } from "vitest";
import { readAlertRules } from "../contract/project/settings.ts";
import { openMemoryStore } from "../store/sqlite/open-store.ts";
import { epoch } from "../store/testing/factories.ts";
import { evaluateAlerts } from "./evaluate-alerts.ts";
import { recordLeftBuild } from "./record-left-build.ts";

const minuteMs = 60_000;
const destinations = { webhook: { url: "https://alerts.example.com", secret: new Uint8Array(32) }, slack: null };

function openAlerts() {
  let now = epoch;
  const clock = { now: () => now };
  const store = openMemoryStore({ clock });
  onTestFinished(() => store.close());
  return {
    store,
    pass: (ms: number) => void (now += ms),
    leave: (acceptedBy: string, runs: number) =>
      recordLeftBuild({ store, destinations, left: { acceptedBy, version: "v3", runs }, clock }),
    evaluate: () =>
      evaluateAlerts({
        store,
        rules: readAlertRules({}),
        destinations,
        manifest: null,
        readDisks: async () => [],
        others: [],
        everyMs: 0,
        now,
      }),
    list: async () => (await store.listAlerts({}, { limit: 10, cursor: null })).data,
  };
}

it("opens one alert for each build that runs leave, counts the runs, and ends when none has left for an hour", async () => {
  const alerts = openAlerts();
  await alerts.leave("v1", 90);
  await alerts.leave("v1", 1);
  await alerts.leave("v2", 1);
  await alerts.evaluate();
  const [second, first] = await alerts.list();
  expect(first).toMatchObject({
    kind: "runs_left_build",
    subject: "v1",
    status: "active",
    count: 91,
    title: "91 runs of build v1 continue on build v3: no machine has the build that accepted them",
    messages: [{ type: "alert.opened", destination: "webhook" }],
  });
  expect(second).toMatchObject({ subject: "v2", count: 1, status: "active" });
  alerts.pass(59 * minuteMs);
  await alerts.leave("v1", 1);
  alerts.pass(59 * minuteMs);
  await alerts.evaluate();
  expect((await alerts.list()).map(({ subject, status, count }) => [subject, status, count])).toEqual([
    ["v2", "resolved", 1],
    ["v1", "active", 92],
  ]);
  alerts.pass(minuteMs);
  await alerts.evaluate();
  expect(await alerts.store.countActiveAlerts()).toBe(0);
});

it("does not end other alerts", async () => {
  const alerts = openAlerts();
  const other = { kind: "disk_space" as const, subject: "/data", count: 1, firstAt: epoch, lastAt: epoch, detail: {} };
  await evaluateAlerts({
    store: alerts.store,
    rules: readAlertRules({}),
    destinations,
    manifest: null,
    readDisks: async () => [],
    others: [other],
    everyMs: 0,
    now: epoch,
  });
  await alerts.leave("v1", 1);
  expect(await alerts.store.countActiveAlerts()).toBe(2);
});
