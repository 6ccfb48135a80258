import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startCluster } from "../scripts/postgres-cluster.ts";
import type { Run, RunSummary } from "../server/contract/run.ts";
import { childrenOf } from "./auditor/processes.ts";
import { getJson, postJson, timelineOf, waitForRun } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { type Service, signalbox, startService } from "./support/service.ts";

const slots = 4;

/** Parts wait while the file `gate-<order>` exists. */
const files = {
  "signalbox.config.ts": `
    import { defineConfig } from "signalbox/config";
    export default defineConfig({ workers: 1, workerConcurrency: ${slots} });`,
  "triggers/order-placed.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import order from "../workflows/order";
    export default defineWebhookSource({
      slug: "order-placed",
      endpoint: "orders",
      request: z.object({ id: z.string(), parts: z.array(z.string()) }),
    }).attach({ workflow: order });`,
  "workflows/order.ts": `
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    import makePart from "./make-part";
    export default defineWorkflow({
      slug: "order",
      input: z.object({ id: z.string(), parts: z.array(z.string()) }),
      async run({ id, parts }, ctx) {
        const made = await Promise.all(parts.map((part) => ctx.call(\`make \${part}\`, makePart, { order: id, part })));
        return await ctx.step("pack", () => made.join(" "));
      },
    });`,
  "workflows/make-part.ts": `
    import { existsSync } from "node:fs";
    import { setTimeout as delay } from "node:timers/promises";
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "make-part",
      input: z.object({ order: z.string(), part: z.string() }),
      async run({ order, part }, ctx) {
        const made = await ctx.step("make", () => part.toUpperCase());
        while (existsSync(\`gate-\${order}\`)) await delay(20, null, { signal: ctx.signal });
        return made;
      },
    });`,
};

const patient = { timeout: 180_000 };

describe.each([{ database: "SQLite" }, { database: "Postgres" }])("child runs on $database", ({ database }) => {
  const cleanups: (() => unknown)[] = [];
  const onCleanup = (cleanup: () => unknown) => void cleanups.push(cleanup);
  let env: NodeJS.ProcessEnv = {};
  let service: Service;
  const start = () => startService({ projectDir, command: "dev", env }, onCleanup);
  let projectDir = "";

  beforeAll(async () => {
    if (database === "Postgres") {
      const cluster = await startCluster();
      onCleanup(() => cluster.remove());
      env = { SIGNALBOX_DATABASE_URL: cluster.url("postgres") };
    }
    projectDir = writeProject(files, onCleanup);
    service = await start();
  });
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  const order = async (id: string, parts: readonly string[]) => {
    const response = await postJson(`${service.url}/triggers/orders`, { id, parts });
    return ((await response.json()) as { runId: string }).runId;
  };
  const read = (id: string) => getJson<Run>(`${service.url}/api/v1/runs/${id}`);
  const childrenOfRun = async (id: string) =>
    (await getJson<{ data: RunSummary[] }>(`${service.url}/api/v1/runs?childOf=${id}&limit=100`)).data;
  const statusesOf = async (id: string) => (await childrenOfRun(id)).map(({ status }) => status).toSorted();
  const command = (...args: string[]) => signalbox(["runs", ...args], { cwd: projectDir, env }).stdout;
  /** The parts of an order wait until it is called. */
  const closeGate = (id: string) => {
    const open = () => rmSync(join(projectDir, `gate-${id}`), { force: true });
    writeFileSync(join(projectDir, `gate-${id}`), "");
    onTestFinished(open);
    return open;
  };

  it("a webhook starts a run that calls three others at once, and gets their outputs", async () => {
    const openGate = closeGate("A1");
    const id = await order("A1", ["door", "lid", "leg"]);
    await expect.poll(() => statusesOf(id), patient).toEqual(["running", "running", "running"]);
    const children = await childrenOfRun(id);
    const [child] = children;
    await expect
      .poll(() => read(id), patient)
      .toMatchObject({ status: "waiting", waitsFor: { kind: "child", runId: expect.any(String), count: 3 } });
    expect(child).toMatchObject({ childOf: id, startedBy: "parent", trigger: null, deliveryId: null });
    expect(command("get", id)).toMatch(/waits for +child run_\w+ and 2 more runs/);
    expect(command("list", "--child-of", id).match(/run_\w+/g)).toEqual(children.map((run) => run.id));

    openGate();
    expect(await waitForRun(service, id)).toMatchObject({ status: "completed", output: "DOOR LID LEG", attempt: 1 });
    expect(command("get", child?.id ?? "")).toMatch(new RegExp(`child of +${id}`));
    const kinds = (await timelineOf(service, id)).map(({ kind, name }) => [kind, name].join(" "));
    expect(kinds.filter((kind) => kind.startsWith("child_started"))).toEqual(
      ["door", "lid", "leg"].map((part) => `child_started make ${part}`),
    );
    expect(kinds.filter((kind) => kind.startsWith("child_finished"))).toHaveLength(3);
  });

  it(`25 runs that each wait for two others need no more than the ${slots} slots of one worker`, async () => {
    const ids = await Promise.all(Array.from({ length: 25 }, (_, n) => order(`B${n}`, [`left ${n}`, `right ${n}`])));
    for (const [n, id] of ids.entries())
      expect(await waitForRun(service, id)).toMatchObject({
        status: "completed",
        output: `LEFT ${n} RIGHT ${n}`,
      });
    for (const id of ids) expect(await statusesOf(id)).toEqual(["completed", "completed"]);
  });

  it("a canceled run cancels the runs that it waits for, active and queued", async () => {
    const openGate = closeGate("C1");
    const parts = Array.from({ length: slots + 2 }, (_, n) => `part ${n}`);
    const id = await order("C1", parts);
    await expect
      .poll(() => statusesOf(id), patient)
      .toEqual(["queued", "queued", ...Array.from({ length: slots }, () => "running")]);
    expect((await postJson(`${service.url}/api/v1/runs/${id}/cancel`, {})).ok).toBe(true);
    await expect.poll(() => statusesOf(id), patient).toEqual(parts.map(() => "canceled"));
    expect((await read(id)).status).toBe("canceled");
    openGate();
  });

  it("a killed worker, and a killed service, start no run again: each child run is started once, and its parent completes", async () => {
    const openGate = closeGate("D1");
    const parts = ["door", "lid", "leg"];
    const id = await order("D1", parts);
    await expect.poll(() => statusesOf(id), patient).toEqual(["running", "running", "running"]);
    await expect.poll(async () => (await read(id)).status, patient).toBe("waiting");
    const ids = (await childrenOfRun(id)).map((run) => run.id);

    for (const worker of childrenOf(service.child.pid ?? 0, "worker")) process.kill(worker, "SIGKILL");
    for (const child of ids)
      await expect
        .poll(async () => (await timelineOf(service, child)).map(({ kind }) => kind), patient)
        .toEqual(expect.arrayContaining(["worker_lost", "resumed"]));
    await service.killGroup();
    openGate();
    service = await start();
    expect(await waitForRun(service, id)).toMatchObject({ status: "completed", output: "DOOR LID LEG", attempt: 1 });
    expect((await childrenOfRun(id)).map((run) => [run.id, run.status])).toEqual(
      ids.map((child) => [child, "completed"]),
    );
  });
});
