import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { getJson, postJson, timelineOf, waitForRun } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { startService } from "./support/service.ts";

/** Every step appends its name to a file, so that the file shows which steps were executed, regardless of the store. */
const project = {
  "workflows/three-steps.ts": `
    import { appendFileSync, existsSync } from "node:fs";
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "three-steps",
      input: z.object({ n: z.number() }),
      retries: { attempts: 1 },
      async run(input, ctx) {
        const mark = (step: string) => appendFileSync("effects.log", input.n + ":" + step + "\\n");
        await ctx.step("first", () => mark("first"));
        await ctx.step("second", () => mark("second"));
        mark("waiting");
        while (!existsSync("go-on")) await new Promise((resolve) => setTimeout(resolve, 20));
        await ctx.step("third", () => mark("third"));
      },
    });`,
  "triggers/three-steps.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import threeSteps from "../workflows/three-steps";
    export default defineWebhookSource({ slug: "three-steps", endpoint: "steps", request: z.object({ n: z.number() }) }).attach({ workflow: threeSteps });`,
};

describe("kill -9 of the whole process group", () => {
  it("loses no accepted run: after a restart each continues after its last finished step and ends", async () => {
    const projectDir = writeProject(project);
    const effects = () =>
      existsSync(join(projectDir, "effects.log"))
        ? readFileSync(join(projectDir, "effects.log"), "utf8").trim().split("\n")
        : [];
    const first = await startService({ projectDir, command: "dev" });
    const runIds: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      const response = await postJson(`${first.url}/triggers/steps`, { n });
      expect(response.status).toBe(202);
      runIds.push(((await response.json()) as { runId: string }).runId);
    }
    await vi.waitFor(() => expect(effects().filter((line) => line.endsWith(":waiting"))).toHaveLength(8));
    await first.killGroup();

    writeFileSync(join(projectDir, "go-on"), "");
    const second = await startService({ projectDir, command: "dev" });
    for (const runId of runIds) {
      expect(await waitForRun(second, runId)).toMatchObject({ status: "completed", attempt: 1 });
      const kinds = (await timelineOf(second, runId)).map(
        (entry) => `${entry.kind}${entry.name ? ` ${entry.name}` : ""}`,
      );
      expect(kinds).toContain("worker_lost");
      expect(kinds).toContain("step_reused second");
    }
    for (let n = 0; n < 8; n += 1) {
      for (const step of ["first", "second", "third"])
        expect(
          effects().filter((line) => line === `${n}:${step}`),
          `${n}:${step}`,
        ).toHaveLength(1);
    }
  });

  it("keeps every 202 that it sent while it received requests", async () => {
    const projectDir = writeProject(project);
    const first = await startService({ projectDir, command: "dev" });
    const accepted: string[] = [];
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let n = 0; ; n += 1) {
        const response = await postJson(`${first.url}/triggers/steps`, { n: client * 10_000 + n });
        if (response.status === 202) accepted.push(((await response.json()) as { runId: string }).runId);
      }
    });
    const ended = Promise.allSettled(clients);
    await vi.waitFor(() => expect(accepted.length).toBeGreaterThan(100), { interval: 5 });
    await first.killGroup();
    await ended;

    writeFileSync(join(projectDir, "go-on"), "");
    const second = await startService({ projectDir, command: "dev" });
    for (const runId of accepted) expect(await waitForRun(second, runId)).toMatchObject({ status: "completed" });
    const seen = new Set<string>();
    let cursor: string | null = null;
    do {
      const page: { data: { id: string }[]; nextCursor: string | null } = await getJson(
        `${second.url}/api/v1/runs?limit=100${cursor ? `&cursor=${cursor}` : ""}`,
      );
      for (const run of page.data) seen.add(run.id);
      cursor = page.nextCursor;
    } while (cursor);
    expect(accepted.filter((runId) => !seen.has(runId))).toEqual([]);
  });
});
