import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startCluster } from "../scripts/postgres-cluster.ts";
import { getJson, postJson, timelineOf, waitForRun } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { startService } from "./support/service.ts";

/**
 * The third try of `charge` succeeds. A program outside kills the worker in the first wait, which keeps the worker. The
 * test kills all processes in the second one, which needs none. Every effect is a line of a file.
 */
const project = {
  "workflows/order.ts": `
    import { spawn } from "node:child_process";
    import { appendFileSync, readFileSync } from "node:fs";
    import { defineWorkflow, RetryAfterError } from "signalbox/workflow";
    import { z } from "zod";
    const countTries = () => readFileSync("effects.log", "utf8").split("\\n").filter((line) => line.startsWith("try ")).length;
    export default defineWorkflow({
      slug: "order",
      input: z.object({ n: z.number() }),
      retries: { attempts: 1 },
      async run(_input, ctx) {
        const mark = (what: string, key: string) => appendFileSync("effects.log", what + " " + key + "\\n");
        await ctx.step("reserve", ({ idempotencyKey }) => mark("reserve", idempotencyKey));
        const receipt = await ctx.step("charge", { retries: 2, backoff: "fixed", initialDelay: "5s", timeout: "30s" }, ({ idempotencyKey }) => {
          mark("try", idempotencyKey);
          const tries = countTries();
          if (tries === 1) {
            spawn("sh", ["-c", "sleep 2.5; kill -9 " + process.pid], { detached: true, stdio: "ignore" }).unref();
            throw new Error("The payment service answered 503");
          }
          if (tries === 2) throw new RetryAfterError("The payment service answered 429", "20");
          mark("charge", idempotencyKey);
          return { at: new Date(0) };
        });
        await ctx.step("ship", ({ idempotencyKey }) => mark("ship", idempotencyKey));
        return receipt;
      },
    });`,
  "triggers/order.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import order from "../workflows/order";
    export default defineWebhookSource({ slug: "order", endpoint: "orders", request: z.object({ n: z.number() }) }).attach({ workflow: order });`,
};

describe("a step with retries", () => {
  it("whose worker is killed in every wait is tried as often as its options say, and each effect happens once, on both databases", async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster.remove());
    await Promise.all([{}, { SIGNALBOX_DATABASE_URL: cluster.url("postgres") }].map(killInEveryWait));
  });
});

async function killInEveryWait(env: NodeJS.ProcessEnv): Promise<void> {
  const projectDir = writeProject(project);
  const effects = () => readFileSync(join(projectDir, "effects.log"), "utf8").trim().split("\n");
  const service = await startService({ projectDir, command: "dev", env });
  const response = await postJson(`${service.url}/triggers/orders`, { n: 1 });
  expect(response.status).toBe(202);
  const { runId } = (await response.json()) as { runId: string };
  await vi.waitFor(
    async () => {
      const failed = (await timelineOf(service, runId)).filter(({ kind }) => kind === "step_failed");
      expect(failed).toHaveLength(2);
      expect(await getJson(`${service.url}/api/v1/runs/${runId}`)).toMatchObject({ status: "waiting", attempt: 1 });
    },
    { interval: 100 },
  );
  await service.killGroup();

  const restarted = await startService({ projectDir, command: "dev", env });
  expect(await waitForRun(restarted, runId)).toMatchObject({
    status: "completed",
    attempt: 1,
    output: { at: "1970-01-01T00:00:00.000Z" },
  });
  expect(effects()).toEqual([
    `reserve ${runId}:reserve`,
    ...Array.from({ length: 3 }, () => `try ${runId}:charge`),
    `charge ${runId}:charge`,
    `ship ${runId}:ship`,
  ]);
  const entries = await timelineOf(restarted, runId);
  const charge = entries.filter(({ name, kind }) => name === "charge" || kind === "worker_lost");
  expect(charge.map(({ kind, data, error }) => [kind, data, error?.message ?? null])).toEqual([
    ["step_started", { try: 1, maxTries: 3 }, null],
    ["step_failed", expect.objectContaining({ try: 1, maxTries: 3 }), "The payment service answered 503"],
    ["worker_lost", null, null],
    ["step_started", { try: 2, maxTries: 3 }, null],
    ["step_failed", expect.objectContaining({ try: 2, maxTries: 3 }), "The payment service answered 429"],
    ["step_started", { try: 3, maxTries: 3 }, null],
    ["step_completed", null, null],
  ]);
  const [first, second] = charge.filter(({ kind }) => kind === "step_failed");
  const waits = [first, second].map((entry) => Date.parse(entry?.until ?? "") - Date.parse(entry?.at ?? ""));
  expect(waits).toEqual([5000, 20_000]);
}
