import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { postJson } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { type Service, signalbox, startService } from "./support/service.ts";

/** Each step writes its begin and its end to a file, regardless of the store. */
const project = {
  "workflows/slow.ts": `
    import { appendFileSync } from "node:fs";
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "slow",
      input: z.object({ seconds: z.number() }),
      async run({ seconds }, ctx) {
        const mark = (text: string) => appendFileSync("marks.log", text + "\\n");
        await ctx.step("long", async () => {
          mark("long begins");
          await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
          mark("long ends");
        });
        await ctx.step("next", () => mark("next"));
      },
    });`,
  "triggers/slow.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import slow from "../workflows/slow";
    export default defineWebhookSource({ slug: "slow", endpoint: "slow", request: z.object({ seconds: z.number() }) }).attach({ workflow: slow });`,
};

const marksOf = (projectDir: string) =>
  existsSync(join(projectDir, "marks.log"))
    ? readFileSync(join(projectDir, "marks.log"), "utf8").trim().split("\n")
    : [];

/** A deployed service that executes a step of this length. */
async function startStep(seconds: number): Promise<Service> {
  const projectDir = writeProject(project);
  const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
  expect(cli("build")).toMatchObject({ status: 0 });
  const service = await startService({ projectDir, command: "start" });
  const response = await postJson(cli("triggers", "url", "slow").stdout.trim(), { seconds });
  expect(response.status).toBe(202);
  await vi.waitFor(() => expect(marksOf(projectDir)).toEqual(["long begins"]));
  return service;
}

const exitOf = ({ child }: Service) =>
  new Promise<number | null>((resolve) => void child.once("exit", (code) => resolve(code)));

describe("a deployed service that is stopped", () => {
  it.each([
    ["its main process", (pid: number) => pid],
    ["its process group", (pid: number) => -pid],
  ])("by a SIGTERM to %s ends a step of five seconds that is in flight, and never executes it again", async (_, of) => {
    const service = await startStep(5);
    const exited = exitOf(service);
    process.kill(of(service.child.pid ?? 0), "SIGTERM");
    expect(await exited).toBe(0);
    // The next step begins in the next service.
    expect(marksOf(service.projectDir)).toEqual(["long begins", "long ends"]);
    await startService({ projectDir: service.projectDir, command: "start" });
    await vi.waitFor(() => expect(marksOf(service.projectDir)).toContain("next"));
    expect(marksOf(service.projectDir)).toEqual(["long begins", "long ends", "next"]);
  });

  it("ends at once with a second SIGTERM", async () => {
    const service = await startStep(3_600);
    const exited = exitOf(service);
    service.child.kill("SIGTERM");
    await vi.waitFor(() => expect(service.output()).toContain('"stopping"'));
    // Shortly after the first, a signal counts as the same one.
    const again = setInterval(() => service.child.kill("SIGTERM"), 100);
    // After the whole drain, it would be 0.
    expect(await exited).toBe(143);
    clearInterval(again);
  });
});
