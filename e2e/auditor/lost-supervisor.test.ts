import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, it, type TestContext, vi } from "vitest";
import { audit } from "./audit.ts";
import { repository } from "./audited-project.ts";
import { childrenOf } from "./processes.ts";
import { auditSeed as seed } from "./random.ts";
import { copyAuditedProject, spawnService, startService, untilLeft } from "./service.ts";

function prepare({ onTestFinished }: TestContext): { projectDir: string; sinkUrl: string } {
  const { projectDir } = copyAuditedProject(1);
  onTestFinished(() => rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 }));
  return { projectDir, sinkUrl: "http://127.0.0.1:1/" };
}

describe.concurrent("a supervisor that is killed alone (kill -9)", () => {
  it("leaves no process behind: its children free the port and end, and a new start continues all runs", async ({
    expect,
  }) => {
    const { violations, facts, summary } = await audit({
      seed,
      clients: 8,
      workers: 1,
      plan: [
        { kind: "supervisor", moment: "step_begun", afterMs: 1_000 },
        { kind: "supervisor", moment: "acknowledged", afterMs: 500 },
      ],
      paceMs: 400,
    });
    console.log(`seed ${seed}: ${summary}`);
    expect(violations, summary).toEqual([]);
    expect(facts.kills.map(({ kind, outlivedBy }) => [kind, outlivedBy])).toEqual([
      ["supervisor", []],
      ["supervisor", []],
    ]);
  });

  it.for([0, 300])(
    "leaves no process behind when its children have been starting for %d ms",
    async (startingMs, context) => {
      const { expect } = context;
      const { pid = 0 } = await spawnService({ ...prepare(context), port: 0, generation: 0, changes: [] });
      await vi.waitFor(() => expect(childrenOf(pid, "receiver")).toHaveLength(1), { interval: 5 });
      await new Promise((resolve) => setTimeout(resolve, startingMs));
      process.kill(pid, "SIGKILL");
      expect(await untilLeft(pid)).toEqual([]);
    },
  );

  it.for(["web", "receiver"] as const)(
    "leaves no process behind when the event loop of %s is blocked",
    async (program, context) => {
      const { expect } = context;
      const blockOnSignal = pathToFileURL(join(repository, "server/processes/testing/block-on-signal.mjs")).href;
      const service = await startService({
        ...prepare(context),
        port: 0,
        generation: 0,
        changes: [],
        env: { NODE_OPTIONS: `--import=${blockOnSignal}` },
      });
      // The receiver begins to watch its event loop with the first webhook.
      await fetch(`${service.url}/triggers/nowhere`, { method: "POST" });
      const [blocked] = service[program]();
      if (!blocked) throw new Error(`there is no ${program}`);
      process.kill(blocked, "SIGUSR2");
      process.kill(service.pid, "SIGKILL");
      await service.exited;
      expect(await service.untilLeft()).toEqual([]);
    },
  );
});
