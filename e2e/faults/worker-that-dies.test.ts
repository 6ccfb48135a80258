import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { expectAnswersOf, expectNothingLost, linesWith, statusOf } from "./expectations.ts";
import { prepareFaultyProject, startFaultyService } from "./faulty-service.ts";
import { startLoad } from "./load.ts";

/**
 * A module that operators load into every process (NODE_OPTIONS): it ends the worker while its collector is
 * unavailable. Errors of the project's own modules fail runs, not workers.
 */
const agent = {
  "agent.mjs": `
    import { existsSync } from "node:fs";
    const { pool } = JSON.parse(process.env["SIGNALBOX_PROCESS"] ?? "{}");
    if (pool && existsSync(new URL("collector-is-away", import.meta.url))) process.exit(7);`,
};

const triesSeen = 4;

describe("a worker that crashes as soon as it starts", () => {
  it("is restarted with backoff and its reason is logged, while webhooks are accepted; after the fix every run is executed", async () => {
    const project = prepareFaultyProject({ files: agent });
    const cause = join(project.projectDir, "collector-is-away");
    writeFileSync(cause, "");
    const service = await startFaultyService(project, {
      env: { NODE_OPTIONS: `--import=${pathToFileURL(join(project.projectDir, "agent.mjs")).href}` },
    });
    const { url, key } = service;
    const others = [service.receiver(), service.web()];
    const load = startLoad({ url, key, clients: 2, paceMs: 50 });
    const deaths = () => linesWith(service.output(), "A worker process could not start");
    await vi.waitFor(() => expect(deaths().length).toBeGreaterThanOrEqual(triesSeen));
    expect(deaths().at(-1)).toContain("ended with exit code 7");
    expect(deaths().at(-1)).toContain("This happens repeatedly: runs wait until a worker keeps running.");
    const ready = await statusOf(`${url}/readyz`);
    expect([ready.status, ready.text]).toEqual([503, expect.stringContaining("No worker has reported")]);
    expect((await statusOf(`${url}/healthz`)).status).toBe(200);

    rmSync(cause);
    await vi.waitFor(() => expect(service.effects().length).toBeGreaterThan(0));
    const answers = await load.finish();
    expectAnswersOf(answers, [202]);
    expect(answers.length).toBeGreaterThan(10);
    await expectNothingLost(service, answers);
    expect((await statusOf(`${url}/readyz`)).status).toBe(200);
    expect([service.receiver(), service.web()]).toEqual(others);
    // A few tries within the time, not one after the other.
    expect(deaths().length).toBeLessThan(12);
    expect(await service.stop()).toBe(0);
  });
});
