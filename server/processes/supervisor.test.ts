import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { readSettings } from "../config.ts";
import { silentLogger } from "../ports/logger.ts";
import type { RunEndedMessage } from "./protocol.ts";
import { type Supervisor, startSupervisor } from "./supervisor.ts";
import { type HarnessWorkflow, type Project, createProject } from "./testing/pool-harness.ts";

// Processes start slowly on a machine that is busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

const projects: Project[] = [];
const supervisors: Supervisor[] = [];
afterEach(async () => {
  await Promise.all(supervisors.splice(0).map((supervisor) => supervisor.close()));
  await Promise.all(projects.splice(0).map((project) => project.remove()));
});


async function start(workflows: Record<string, HarnessWorkflow>, port = 0) {
  const project = await createProject(workflows);
  projects.push(project);
  const env = { PATH: process.env["PATH"], SIGNALBOX_SECRET: "0123456789abcdef0123456789abcdef" };
  const settings = readSettings({ projectDir: project.dir, mode: "development", fromProject: {}, flags: { port }, env });
  const notices: string[] = [];
  const ended: RunEndedMessage[] = [];
  const supervisor = await startSupervisor({
    settings,
    env,
    reporter: { delivery() {}, runEnded: (run) => ended.push(run), notice: (_, message) => notices.push(message) },
    logger: silentLogger,
  });
  supervisors.push(supervisor);
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${supervisor.url}/api/v1${path}`, { method, headers: { "content-type": "application/json" }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    return { status: response.status, json: z.looseObject({ runId: z.string().optional(), id: z.string().optional() }).parse(await response.json()) };
  };
  const startRun = async (slug: string): Promise<string> => {
    const { json } = await call("POST", `/workflows/${slug}/runs`, {});
    return json.runId ?? json.id ?? "";
  };
  return { supervisor, project, notices, ended, call, startRun };
}

const hang = "await new Promise(() => {});";

describe("the supervisor", () => {
  test("serves on a port of the system's choice, and a run that web records is executed and reported", async () => {
    const { supervisor, startRun, ended } = await start({ quick: { code: "return 1;" } });
    expect(supervisor.url).toBe(`http://127.0.0.1:${supervisor.port}`);
    await startRun("quick");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", target: { kind: "workflow", slug: "quick" }, attempt: 1, error: null }]);
  });

  test("says what is wrong when the port is in use, and leaves no process behind", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      await expect(start({ quick: { code: "return 1;" } }, port)).rejects.toThrow(`Port ${port} is in use`);
      expect(children()).toEqual([]);
    } finally {
      server.close();
    }
  });

  test("a cancel over the API ends a running run at once", async () => {
    const { startRun, call, project, ended } = await start({ work: { code: `mark("begun"); ${hang}` } });
    const id = await startRun("work");
    await expect.poll(() => project.marks()).toContain("begun");
    await call("POST", `/runs/${id}/cancel`);
    await expect.poll(() => ended).toMatchObject([{ runId: id, status: "canceled" }]);
  });

  test("starts web again on the same port when it dies; runs go on meanwhile", async () => {
    const { supervisor, call, notices, startRun, project, ended } = await start({ work: { code: `mark("begun"); await until(() => marks().includes("web is back")); return 1;` } });
    await startRun("work");
    await expect.poll(() => project.marks()).toContain("begun");
    const [web] = children().filter(isWeb);
    if (!web) throw new Error("there is no web process");
    process.kill(web.pid, "SIGKILL");
    await expect.poll(() => notices.join(), { timeout: 20_000 }).toContain("The web process was killed (SIGKILL). It is started again");
    await expect.poll(() => call("GET", "/runs").then(({ status }) => status, () => 0), { timeout: 20_000 }).toBe(200);
    expect(children().filter(isWeb)).toHaveLength(1);
    await writeFile(join(project.dir, "marks.txt"), "web is back\n");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", attempt: 1 }]);
    expect(supervisor.port).toBeGreaterThan(0);
  });

  test("a reload puts the new build in force, for web and workers", async () => {
    const { supervisor, call, startRun, project, ended } = await start({ old: { code: "return 1;" } });
    expect((await call("POST", "/workflows/fresh/runs", {})).status).toBe(404);
    await project.write({ fresh: { code: "return 2;" } });
    await supervisor.reload();
    await startRun("fresh");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", target: { slug: "fresh" } }]);
  });

  test("a reload of a damaged build is refused, and the old one goes on", async () => {
    const { supervisor, startRun, project, ended } = await start({ old: { code: "return 1;" } });
    await writeFile(join(project.dir, ".signalbox", "manifest.json"), "{}");
    await expect(supervisor.reload()).rejects.toThrow(/manifest\.json is damaged/);
    await startRun("old");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", target: { slug: "old" } }]);
  });

  test("a close takes less than ten seconds whatever the runs do, and leaves no process behind", async () => {
    const { supervisor, startRun, project } = await start({ work: { code: `mark("begun"); ${hang}` }, block: { code: `mark("blocks"); while (true);` } });
    await startRun("work");
    await expect.poll(() => project.marks()).toContain("begun");
    await startRun("block");
    await expect.poll(() => project.marks()).toContain("blocks");
    const startedAt = performance.now();
    await Promise.all([supervisor.close(), supervisor.close()]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(children()).toEqual([]);
    await expect(fetch(supervisor.url)).rejects.toThrow("fetch failed");
  });
});

const isWeb = ({ command }: { command: string }) => command.includes("web.ts");

/** Processes of Signalbox that this one has started and that still are. */
function children(): { pid: number; command: string }[] {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" }).split("\n").flatMap((line) => {
    const [, pid, parent, state, command = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === process.pid && !state?.startsWith("Z") && /processes\/(web|worker)\.ts/.test(command) ? [{ pid: Number(pid), command }] : [];
  });
}
