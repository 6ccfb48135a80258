import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { DriftChange } from "../../../server/contract/drift.ts";
import type { DescribedSummary } from "../../../server/contract/delivery.ts";
import type { RunSummary } from "../../../server/contract/run.ts";
import { type Trigger, triggerSchema } from "../../../server/triggers/read-triggers.ts";
import { fakeDelivery, fakeKey, fakeRun, fakeTrigger, runFakeCli } from "../testing/fake-host.ts";
import { checkEndpoint, type EndpointFacts } from "./check-endpoint.ts";

const now = Date.parse("2026-11-21T10:00:00Z");
const trigger = triggerSchema.parse(fakeTrigger);
const other: Trigger = { ...trigger, slug: "other", endpoint: "billing" };
const off = { at: "2026-11-21T09:00:00.000Z", reason: "the mail server is down" };
const accepted: DescribedSummary = {
  ...fakeDelivery,
  receivedAt: "2026-11-21T09:58:00.000Z",
  decision: "new-signup fired",
};
const missed: Pick<DescribedSummary, "verdicts" | "decision"> = {
  decision: "request: /email: Expected string",
  verdicts: [
    {
      trigger: "new-signup",
      attachmentId: "new-signup:welcome-email",
      target: trigger.target,
      outcome: "request_mismatch",
      runId: null,
      reasons: [{ pointer: "/email", code: "invalid_type", message: "Expected string", expected: null, actual: null }],
    },
  ],
};
const held: DescribedSummary = { ...accepted, ...missed, outcome: "held" };
const skipped: DescribedSummary = { ...accepted, ...missed, outcome: "skipped", responseStatus: 200 };
const rejected = (status: number, code: string): DescribedSummary => ({
  ...accepted,
  outcome: "rejected",
  responseStatus: status,
  problem: { type: `/errors/${code}`, title: "Some title", status, code, detail: "Some detail." },
});
const ended: RunSummary = { ...fakeRun, status: "completed", error: null };
const failed: RunSummary = { ...fakeRun, error: { ...fakeRun.error } };
const queued: RunSummary = { ...ended, status: "queued", createdAt: "2026-11-21T09:57:00.000Z" };
const key = { ...fakeKey, endpoints: [...fakeKey.endpoints] };
const fakeChange: DriftChange = {
  endpoint: "signup",
  kind: null,
  change: "stopped_matching",
  pointer: "/email",
  trigger: "new-signup",
  expected: null,
  actual: null,
  since: "2026-11-21T09:00:00.000Z",
  deliveries: 3,
  of: 100,
  reasons: [],
  text: "3.0 % stopped matching new-signup, all at /email: number, expected a string",
};
const healthy: EndpointFacts = {
  asked: "signup",
  triggers: [trigger, other],
  keys: [key],
  needsKey: true,
  deliveries: [accepted],
  unknown: [],
  drift: [],
  runs: [ended],
  now,
};

it.each<[string, Partial<EndpointFacts>, string, RegExp]>([
  ["nothing for a healthy endpoint", {}, "ok ok ok ok ok", /^none$/],
  ["nothing for the slug of a trigger", { asked: "new-signup" }, "ok ok ok ok ok", /^none$/],
  [
    "an endpoint that does not exist",
    { asked: "singup" },
    "bad",
    /Did you mean "signup"\? `signalbox triggers url signup`/,
  ],
  ["an endpoint that resembles none", { asked: "something-else" }, "bad", /add a trigger for it/],
  ["no key", { keys: [] }, "ok bad", /signalbox keys create --name <sender> --endpoint signup/],
  ["only keys of other endpoints", { keys: [{ ...key, endpoints: ["billing"] }] }, "ok bad", /keys create/],
  ["only expired keys", { keys: [{ ...key, expiresAt: "2026-11-20T00:00:00.000Z" }] }, "ok bad", /keys create/],
  [
    "keys that expire soon",
    { keys: [{ ...key, expiresAt: "2026-11-25T00:00:00.000Z" }] },
    "ok warn ok ok ok",
    /^none$/,
  ],
  ["no key in local development", { keys: null, needsKey: false }, "ok ok ok ok ok", /^none$/],
  ["keys that may not be listed", { keys: null }, "ok warn ok ok ok", /^none$/],
  ["a disabled trigger", { triggers: [{ ...trigger, disabled: off }] }, "ok ok bad", /triggers enable new-signup/],
  [
    "one disabled trigger of two",
    { triggers: [trigger, { ...trigger, slug: "b", disabled: off }] },
    "ok ok warn ok ok",
    /^none$/,
  ],
  ["no deliveries", { deliveries: [], runs: [] }, "ok ok ok warn ok", /^none$/],
  [
    "requests to a similar endpoint",
    { deliveries: [], unknown: [{ ...rejected(404, "unknown_endpoint"), endpoint: "singup" }] },
    "ok ok ok bad",
    /triggers url signup/,
  ],
  ["deliveries with an invalid key", { deliveries: [rejected(401, "unauthorized")] }, "ok ok ok bad", /./],
  [
    "deliveries that are held",
    { deliveries: [held] },
    "ok ok ok bad",
    /deploy, then `signalbox deliveries release --endpoint signup`/,
  ],
  ["deliveries that are skipped", { deliveries: [skipped, skipped] }, "ok ok ok bad", /deliveries explain dlv_1/],
  ["deliveries that stopped matching", { deliveries: [held, accepted] }, "ok ok ok warn ok", /^none$/],
  [
    "a change of the sender before the deliveries that it stopped",
    { deliveries: [held, accepted], drift: [{ ...fakeChange, change: "new_field" }, fakeChange], runs: [failed] },
    "ok ok ok warn warn bad",
    /runs get/,
  ],
  ["changes that stop no trigger", { drift: [{ ...fakeChange, change: "new_field" }] }, "ok ok ok ok ok", /^none$/],
  ["deliveries that match again", { deliveries: [accepted, held] }, "ok ok ok ok ok", /^none$/],
  ["runs that nothing executes", { runs: [queued] }, "ok ok ok ok bad", /Start the service/],
  ["runs that all fail", { runs: [failed] }, "ok ok ok ok bad", /signalbox runs get run_01K9/],
  [
    "runs that all fail, although each of them calls onFailure",
    { runs: [{ ...ended, failureOf: failed.id }, failed] },
    "ok ok ok ok bad",
    /signalbox runs get/,
  ],
  [
    "runs that failed and were replayed",
    { runs: [ended, { ...failed, replayedAs: "run_2" }] },
    "ok ok ok ok ok",
    /^none$/,
  ],
  ["runs of which some fail", { runs: [failed, ended] }, "ok ok ok ok warn", /signalbox runs get/],
])("reports %s, and stops at the first broken link", (_, given, states, fix) => {
  const checks = checkEndpoint({ ...healthy, ...given });
  expect(checks.map(({ state }) => state).join(" ")).toBe(states);
  expect(checks.every((check) => (check.state === "ok") === (check.fix === null))).toBe(true);
  expect(checks.at(-1)?.fix ?? "none").toMatch(fix);
});

it("names the first broken link of a remote service with its fix, and exits with 1", async () => {
  vi.stubEnv("SIGNALBOX_URL", "https://hooks.example.com");
  const folder = mkdtempSync(join(tmpdir(), "signalbox-doctor-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const routes = {
    "GET /triggers": () => ({ data: [fakeTrigger] }),
    "GET /keys": () => ({ data: [fakeKey] }),
    "GET /deliveries": ({ query }: { query: URLSearchParams }) => ({
      data: query.get("endpoint") === "signup" ? [held] : [],
      nextCursor: null,
    }),
    "GET /runs": () => ({ data: [], nextCursor: null }),
    "GET /drift": () => ({ data: [fakeChange], compared: [] }),
  };
  const text = await runFakeCli(["doctor", "signup"], { routes, cwd: folder });
  expect(text).toMatchObject({ exitCode: 1, stderr: "The first broken link is deliveries.\n" });
  expect(text.stdout).toMatch(
    /^✓ endpoint: .*\n✓ keys: .*\n✓ triggers: .*\n! changes: 3\.0 % stopped .*`signalbox triggers drift signup`.*\n✗ deliveries: .*\/email: Expected string → .*release/,
  );
  const json = await runFakeCli(["doctor", "singup", "--json"], { routes, cwd: folder });
  expect([json.exitCode, JSON.parse(json.stdout)]).toMatchObject([
    1,
    { ok: false, broken: "endpoint", checks: [{ name: "endpoint", state: "bad" }] },
  ]);
  const healthyNow = await runFakeCli(["doctor", "signup"], {
    routes: { ...routes, "GET /deliveries": () => ({ data: [accepted], nextCursor: null }) },
    cwd: folder,
  });
  expect(healthyNow).toMatchObject({
    exitCode: 0,
    stderr: "No link from the URL to the runs is broken. There is a warning: changes.\n",
  });
});
