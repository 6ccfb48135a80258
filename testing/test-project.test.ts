import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { testProject, type TestProjectOptions } from "signalbox/testing";
import "signalbox/testing/vitest";
import { makeProject, makeProjectUntil, writeFiles } from "../cli/build/testing/make-project.ts";
import { ordersProject } from "./testing/orders-project.ts";

const projectDir = makeProjectUntil(afterAll, ordersProject);

async function open(options: TestProjectOptions = {}) {
  const app = await testProject({ projectDir, now: "2026-01-01T00:00:00Z", timeout: "1m", ...options });
  onTestFinished(() => app.close());
  return app;
}

const paid = { type: "order.paid", order: { id: "o-1", email: "ada@example.com", cents: 4900 } };

describe("a delivery", () => {
  it("fires the triggers that match, skips the others with the reason, and its run ends with the output", async () => {
    const app = await open();
    const delivery = await app.deliver("orders", paid);
    expect(delivery).toMatchObject({ status: 202, outcome: "accepted", problem: null });
    expect(delivery).toFire("order-paid").toSkip("order-refunded", "/type");
    expect(() => expect(delivery).toFire("order-paid").toSkip("order-paid")).toThrow("to skip order-paid");
    const run = await app.settle(delivery);
    expect(run).toComplete({ receipt: "receipt o-1 for 4900" });
    expect(run).toMatchObject({
      trigger: "order-paid",
      target: { kind: "workflow", slug: "fulfil" },
      key: "o-1",
      attempt: 1,
      input: { id: "o-1", email: "ada@example.com", cents: 4900 },
      error: null,
    });
    expect(run.steps.map(({ kind, name, isDone }) => [kind, name, isDone])).toEqual([
      ["step", "charge", true],
      ["sleep", "wait for a review", true],
      ["step", "ask for a review", true],
    ]);
    expect(run.logs).toEqual([{ level: "info", message: "Charged", data: { cents: 4900 } }]);
  });

  it("that sleeps for 30 days ends at once, and the virtual clock has moved by 30 days", async () => {
    const app = await open();
    const run = await app.settle(await app.deliver("orders", paid));
    expect(run.finishedAt).toBe("2026-01-31T00:00:00.000Z");
    expect(app.clock.now()).toEqual(new Date("2026-01-31T00:00:00Z"));
  });

  it("is rejected with the problem that a sender gets", async () => {
    const app = await open();
    const unknown = await app.deliver("oders", {});
    expect(unknown).toMatchObject({ status: 404, outcome: "rejected", problem: { code: "unknown_endpoint" } });
    expect(await app.deliver("orders", "{")).toMatchObject({ status: 400, problem: { code: "invalid_json" } });
    await expect(app.settle(unknown)).rejects.toThrow("was rejected, and has started no run");
  });

  it("that repeats an event starts nothing", async () => {
    const app = await open();
    const headers = { "idempotency-key": "evt-1" };
    expect(await app.deliver("orders", paid, { headers })).toFire("order-paid");
    const repeated = await app.deliver("orders", paid, { headers });
    expect(repeated).toMatchObject({ outcome: "repeated", runs: [] });
    expect(repeated).not.toFire();
  });

  it("of several triggers needs the trigger whose run is wanted", async () => {
    const app = await open();
    const both = await app.deliver("orders", { ...paid, order: { ...paid.order, cents: 2_000_000 } });
    expect(both).toFire("order-paid", "large-order");
    await expect(app.settle(both)).rejects.toThrow('settle(delivery, { trigger: "large-order" })');
    expect(await app.settle(both, { trigger: "large-order" })).toComplete("noted o-1");
    await expect(app.settle(both, { trigger: "order-refunded" })).rejects.toThrow("no run of order-refunded");
  });

  it("is sent in the format of the endpoint", async () => {
    const app = await open();
    const delivery = await app.deliver("forms", { name: "Ada" });
    expect(await app.settle(delivery)).toComplete("Hello Ada");
    expect(await app.deliver("forms", "name=Grace")).toFire("form");
  });
});

describe("the signature of an endpoint", () => {
  it("is made by `sign: true`, without a secret in the environment", async () => {
    const app = await open();
    const body = { action: "opened", issue: { number: 7, title: "It crashes" } };
    expect(process.env["TEST_PROJECT_SECRET"]).toBeUndefined();
    expect(await app.deliver("github", body, { sign: true })).toFire("issue");
    expect(await app.deliver("github", { ...body, action: "closed" })).toSkip("issue", "/action");
    const unsigned = await app.deliver("github", { ...body, issue: { number: 8, title: "x" } }, { sign: false });
    expect(unsigned).toMatchObject({ status: 401, problem: { code: "invalid_signature" } });
    expect(process.env["TEST_PROJECT_SECRET"]).toBeUndefined();
  });

  it("cannot be made if the endpoint verifies none", async () => {
    const app = await open();
    await expect(app.deliver("orders", paid, { sign: true })).rejects.toThrow("there is nothing to sign");
  });
});

describe("time", () => {
  it("passes only as far as a test moves it, and runs that are due execute in order", async () => {
    const app = await open();
    const delivery = await app.deliver("orders", paid);
    await app.clock.advance("29d");
    const [first] = delivery.runs;
    expect(first).toBeDefined();
    const early = await app.settle(await app.deliver("forms", { name: "Ada" }));
    expect(early.finishedAt).toBe("2026-01-30T00:00:00.000Z");
    await app.clock.advance("1d");
    expect(await app.settle()).toEqual([]);
    expect(await app.settle(delivery)).toMatchObject({ status: "completed", finishedAt: "2026-01-31T00:00:00.000Z" });
  });

  it("of back-off between attempts and tries is skipped", async () => {
    const app = await open();
    const run = await app.settle(await app.deliver("flaky", { failures: 2, tries: 3 }));
    expect(run).toComplete("attempt 3");
    expect(run.attempt).toBe(3);
    expect(run.steps.find(({ name }) => name === "call")).toMatchObject({ tries: 4, isDone: true });
    expect(Date.parse(run.finishedAt ?? "") - Date.parse(run.createdAt)).toBeGreaterThan(60_000);
  });

  it("of runs with the same key: each starts when the one before has ended, with its sleeps", async () => {
    const app = await open();
    const deliveries = await Promise.all(["ada", "ada", "bob"].map((customer) => app.deliver("charge", { customer })));
    const runs = [];
    for (const delivery of deliveries) runs.push(await app.settle(delivery));
    expect(runs.map(({ finishedAt }) => finishedAt)).toEqual([
      "2026-01-01T01:00:00.000Z",
      "2026-01-01T02:00:00.000Z",
      "2026-01-01T01:00:00.000Z",
    ]);
  });

  it("does not free a key that a failed run blocks", async () => {
    const app = await open();
    const first = await app.deliver("charge", { customer: "ada", fails: true });
    const second = await app.deliver("charge", { customer: "ada" });
    expect(await app.settle(first)).toMatchObject({ status: "failed", attempt: 2 });
    await expect(app.settle(second)).rejects.toThrow(
      /^The run is open, .*\. It waits: key ada: blocked by run_\w+, which has failed\.$/,
    );
  });

  it("that a step takes for real is limited, and the error names the step", async () => {
    const app = await open({ timeout: "3s" });
    const delivery = await app.deliver("hang", {});
    await expect(app.settle(delivery)).rejects.toThrow(
      'The run of hang did not end within 3 s of real time. It is in step "wait".',
    );
  });
});

describe("a failed run", () => {
  it("has the error with its position in the source, and its onFailure has run", async () => {
    const app = await open();
    const delivery = await app.deliver("flaky", { failures: 9, tries: 0 });
    const run = await app.settle(delivery);
    expect(run).toFail("no connection");
    expect(run.error?.stack).toContain("workflows/flaky.ts");
    expect(() => expect(run).toComplete()).toThrow(/Expected the run of flaky to complete\.[^]*no connection/);
    expect(run.onFailure).toMatchObject({
      status: "completed",
      failureOf: run.id,
      steps: [{ name: "report", result: "reported no connection" }],
    });
    expect(await app.settle()).toEqual([]);
  });
});

describe("the build", () => {
  it("is made once for the same files, again after a change, and is never the current one", async () => {
    const other = makeProject(ordersProject);
    const first = await testProject({ projectDir: other });
    const second = await testProject({ projectDir: other });
    onTestFinished(() => first.close());
    onTestFinished(() => second.close());
    const builds = () => readdirSync(join(other, ".signalbox/tests"));
    expect(builds()).toHaveLength(1);
    expect(existsSync(join(other, ".signalbox/manifest.json"))).toBe(false);
    writeFiles(other, { "lib/greet.ts": "export const greet = (name: string) => `Good morning ${name}`;\n" });
    const third = await open({ projectDir: other });
    expect(builds()).toHaveLength(2);
    expect(await third.settle(await third.deliver("forms", { name: "Ada" }))).toComplete("Good morning Ada");
  });

  it("that fails throws its diagnostics", async () => {
    const broken = makeProject({ "triggers/broken.ts": "export default 1;\n" });
    await expect(testProject({ projectDir: broken })).rejects.toThrow(/does not build[^]*triggers\/broken\.ts/);
  });
});
