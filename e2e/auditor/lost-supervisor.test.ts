import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { audit } from "./audit.ts";
import { repository, writeAuditedProject } from "./audited-project.ts";
import { childrenOf } from "./processes.ts";
import { prepareProject, spawnService, startService, untilLeft } from "./service.ts";

const seed = Number(process.env["AUDIT_SEED"] ?? Date.now() % 1_000_000);

function prepare(): { projectDir: string; sinkUrl: string } {
  const projectDir = mkdtempSync(join(tmpdir(), "signalbox-audit-"));
  onTestFinished(() => rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 }));
  writeAuditedProject(projectDir, 1);
  prepareProject(projectDir);
  return { projectDir, sinkUrl: "http://127.0.0.1:1/" };
}

describe("a supervisor that is killed alone (kill -9)", { timeout: 240_000 }, () => {
  it("leaves nobody behind: its children free the port, hand their runs back, and a new start goes on with all of them", async () => {
    const { violations, facts, summary } = await audit({ seed, plan: [{ kind: "supervisor", moment: "step_begun", afterMs: 1_000 }, { kind: "supervisor", moment: "acknowledged", afterMs: 500 }], paceMs: 400 });
    console.log(`seed ${seed}: ${summary}`);
    expect(violations, summary).toEqual([]);
    expect(facts.kills.map(({ kind, outlivedBy }) => [kind, outlivedBy])).toEqual([["supervisor", []], ["supervisor", []]]);
  });

  it.each([0, 300])("leaves nobody behind when its children have been starting for %d ms", async (startingMs) => {
    const { pid = 0 } = await spawnService({ ...prepare(), port: 0, generation: 0, changes: [] });
    await vi.waitFor(() => expect(childrenOf(pid, "web")).toHaveLength(1), { timeout: 60_000, interval: 5 });
    await new Promise((resolve) => setTimeout(resolve, startingMs));
    process.kill(pid, "SIGKILL");
    expect(await untilLeft(pid)).toEqual([]);
  });

  it("leaves nobody behind where the event loop of web is blocked, and hears of nothing", async () => {
    const blockOnSignal = pathToFileURL(join(repository, "server/processes/testing/block-on-signal.mjs")).href;
    const service = await startService({ ...prepare(), port: 0, generation: 0, changes: [], env: { NODE_OPTIONS: `--import=${blockOnSignal}` } });
    const [web] = service.web();
    if (!web) throw new Error("there is no web process");
    process.kill(web, "SIGUSR2");
    process.kill(service.pid, "SIGKILL");
    await service.exited;
    expect(await service.untilLeft()).toEqual([]);
  });
});
