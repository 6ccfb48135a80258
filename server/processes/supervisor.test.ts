import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { children, closeSupervisors, startTestSupervisor } from "./testing/supervisor-harness.ts";

// Processes start slowly on a machine that is busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

afterEach(closeSupervisors);

const hang = "await new Promise(() => {});";

describe("the supervisor", () => {
  test("serves on a port of the system's choice, and a run that web records is executed and reported", async () => {
    const { supervisor, startRun, ended } = await startTestSupervisor({ quick: { code: "return 1;" } });
    expect(supervisor.url).toBe(`http://127.0.0.1:${supervisor.port}`);
    await startRun("quick");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", target: { kind: "workflow", slug: "quick" }, attempt: 1, error: null }]);
  });

  test("says what is wrong when the port is in use, and leaves no process behind", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      await expect(startTestSupervisor({ quick: { code: "return 1;" } }, port)).rejects.toThrow(`Port ${port} is in use`);
      expect(children()).toEqual([]);
    } finally {
      server.close();
    }
  });

  test("a cancel over the API ends a running run at once", async () => {
    const { startRun, call, project, ended } = await startTestSupervisor({ work: { code: `mark("begun"); ${hang}` } });
    const id = await startRun("work");
    await expect.poll(() => project.marks()).toContain("begun");
    await call("POST", `/runs/${id}/cancel`);
    await expect.poll(() => ended).toMatchObject([{ runId: id, status: "canceled" }]);
  });

  test("starts web again on the same port when it dies; runs go on meanwhile", async () => {
    const { supervisor, call, notices, startRun, project, ended, webPid } = await startTestSupervisor({ work: { code: `mark("begun"); await until(() => marks().includes("web is back")); return 1;` } });
    await startRun("work");
    await expect.poll(() => project.marks()).toContain("begun");
    process.kill(webPid(), "SIGKILL");
    await expect.poll(() => notices.join(), { timeout: 20_000 }).toContain("The web process was killed (SIGKILL). It is started again");
    await expect.poll(() => call("GET", "/runs").then(({ status }) => status, () => 0), { timeout: 20_000 }).toBe(200);
    expect(webPid()).toBeGreaterThan(0);
    await writeFile(join(project.dir, "marks.txt"), "web is back\n");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", attempt: 1 }]);
    expect(supervisor.port).toBeGreaterThan(0);
  });

  test("a reload puts the new build in force, for web and workers", async () => {
    const { supervisor, call, startRun, project, ended } = await startTestSupervisor({ old: { code: "return 1;" } });
    expect((await call("POST", "/workflows/fresh/runs", {})).status).toBe(404);
    await project.write({ fresh: { code: "return 2;" } });
    await supervisor.reload();
    await startRun("fresh");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", target: { slug: "fresh" } }]);
  });

  test("a reload of a damaged build is refused, and the old one goes on", async () => {
    const { supervisor, startRun, project, ended } = await startTestSupervisor({ old: { code: "return 1;" } });
    await writeFile(join(project.dir, ".signalbox", "manifest.json"), "{}");
    await expect(supervisor.reload()).rejects.toThrow(/manifest\.json is damaged/);
    await startRun("old");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", target: { slug: "old" } }]);
  });

  test("a close takes less than ten seconds whatever the runs do, and leaves no process behind", async () => {
    const { supervisor, startRun, project } = await startTestSupervisor({ work: { code: `mark("begun"); ${hang}` }, block: { code: `mark("blocks"); while (true);` } });
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
