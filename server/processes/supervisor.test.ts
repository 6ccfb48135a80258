import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, vi } from "vitest";
import { childrenOf, startService, test } from "./testing/supervisor-harness.ts";

// Processes start slowly on a machine that is busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 30_000, maxConcurrency: 3 });

const hang = "await new Promise(() => {});";

describe.concurrent("the supervisor", () => {
  test("serves on a port of the system's choice, and a run that web records is executed and reported", async ({
    startService,
    expect,
  }) => {
    const { supervisor, startRun, ended } = await startService({ quick: { code: "return 1;" } });
    expect(supervisor.url).toBe(`http://127.0.0.1:${supervisor.port}`);
    await startRun("quick");
    await expect
      .poll(() => ended, { timeout: 20_000 })
      .toMatchObject([{ status: "completed", target: { kind: "workflow", slug: "quick" }, attempt: 1, error: null }]);
  });

  test("says what is wrong when the port is in use, and leaves no process behind", async ({
    createProject,
    expect,
  }) => {
    const project = await createProject({ quick: { code: "return 1;" } });
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      await expect(startService(project, { port })).rejects.toThrow(`Port ${port} is in use`);
      expect(childrenOf(project)).toEqual([]);
    } finally {
      server.close();
    }
  });

  test("a cancel over the API ends a running run at once", async ({ startService, expect }) => {
    const { startRun, call, project, ended } = await startService({ work: { code: `mark("begun"); ${hang}` } });
    const id = await startRun("work");
    await expect.poll(() => project.marks(), { timeout: 20_000 }).toContain("begun");
    await call("POST", `/runs/${id}/cancel`);
    await expect.poll(() => ended, { timeout: 20_000 }).toMatchObject([{ runId: id, status: "canceled" }]);
  });

  test("starts web again when it dies; the receiver and runs continue meanwhile", async ({ startService, expect }) => {
    const { supervisor, call, notices, startRun, project, ended, pidOf } = await startService({
      work: { code: `mark("begun"); await until(() => marks().includes("web is back")); return 1;` },
    });
    await startRun("work");
    await expect.poll(() => project.marks(), { timeout: 20_000 }).toContain("begun");
    const receiver = pidOf("receiver");
    const statusOf = async (path: string) => (await fetch(supervisor.url + path)).status;
    process.kill(pidOf("web"), "SIGKILL");
    await expect
      .poll(
        async () => [await statusOf("/triggers/nowhere"), await statusOf("/healthz"), await statusOf("/api/v1/runs")],
        {
          timeout: 20_000,
          interval: 1,
        },
      )
      .toEqual([404, 200, 503]);
    await expect
      .poll(() => notices.join(), { timeout: 20_000 })
      .toContain("The web process was killed (SIGKILL). It restarts");
    await expect.poll(() => call("GET", "/runs").then(({ status }) => status), { timeout: 20_000 }).toBe(200);
    await writeFile(join(project.dir, "marks.txt"), "web is back\n");
    await expect.poll(() => ended, { timeout: 20_000 }).toMatchObject([{ status: "completed", attempt: 1 }]);
    expect(pidOf("receiver")).toBe(receiver);
  });

  test("starts the receiver again on the same port when it dies; web and runs continue meanwhile", async ({
    startService,
    expect,
  }) => {
    const { supervisor, notices, startRun, project, ended, pidOf } = await startService({
      work: { code: `mark("begun"); await until(() => marks().includes("it is back")); return 1;` },
    });
    await startRun("work");
    await expect.poll(() => project.marks(), { timeout: 20_000 }).toContain("begun");
    const [receiver, web] = [pidOf("receiver"), pidOf("web")];
    process.kill(receiver, "SIGKILL");
    await expect
      .poll(() => notices.join(), { timeout: 20_000 })
      .toContain("The receiver was killed (SIGKILL). It restarts");
    const statusOf = (path: string) =>
      fetch(supervisor.url + path, { headers: { connection: "close" } }).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(() => statusOf("/triggers/nowhere"), { timeout: 20_000 }).toBe(404);
    expect(await statusOf("/api/v1/runs")).toBe(200);
    await writeFile(join(project.dir, "marks.txt"), "it is back\n");
    await expect.poll(() => ended, { timeout: 20_000 }).toMatchObject([{ status: "completed", attempt: 1 }]);
    expect(pidOf("web")).toBe(web);
    expect(pidOf("receiver")).not.toBe(receiver);
  });

  test("a reload puts the new build in force, for the receiver, web and workers", async ({ startService, expect }) => {
    const { supervisor, call, startRun, project, ended } = await startService({ old: { code: "return 1;" } });
    expect((await call("POST", "/workflows/fresh/runs", {})).status).toBe(404);
    await project.write({ fresh: { code: "return 2;" } });
    await supervisor.reload();
    await startRun("fresh");
    await expect
      .poll(() => ended, { timeout: 20_000 })
      .toMatchObject([{ status: "completed", target: { slug: "fresh" } }]);
  });

  test("a reload of a damaged build is rejected, and the previous build stays active", async ({
    startService,
    expect,
  }) => {
    const { supervisor, startRun, project, ended } = await startService({ old: { code: "return 1;" } });
    await writeFile(join(project.dir, ".signalbox", "manifest.json"), "{}");
    await expect(supervisor.reload()).rejects.toThrow(/manifest\.json is damaged/);
    await startRun("old");
    await expect
      .poll(() => ended, { timeout: 20_000 })
      .toMatchObject([{ status: "completed", target: { slug: "old" } }]);
  });

  test("a close takes less than ten seconds with any runs, and leaves no process behind", async ({
    startService,
    expect,
  }) => {
    const { supervisor, startRun, project } = await startService({
      work: { code: `mark("begun"); ${hang}` },
      block: { code: `mark("blocks"); blockForEver();` },
    });
    await startRun("work");
    await expect.poll(() => project.marks(), { timeout: 20_000 }).toContain("begun");
    await startRun("block");
    await expect.poll(() => project.marks(), { timeout: 20_000 }).toContain("blocks");
    const startedAt = performance.now();
    await Promise.all([supervisor.close(), supervisor.close()]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(childrenOf(project)).toEqual([]);
    await expect(fetch(supervisor.url)).rejects.toThrow("fetch failed");
  });
});
