import { once } from "node:events";
import { appendFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { constants, getPriority } from "node:os";
import { join } from "node:path";
import { describe, vi } from "vitest";
import { openFiles } from "./testing/open-files.ts";
import { childrenOf, startService, test } from "./testing/supervisor-harness.ts";

vi.setConfig({ maxConcurrency: 3 });

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
      .poll(() => ended)
      .toMatchObject([{ status: "completed", target: { kind: "workflow", slug: "quick" }, attempt: 1, error: null }]);
  });

  test("reports a port that is in use, and leaves no process behind", async ({ createProject, expect }) => {
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

  test.for(["203.0.113.7", "no-such-host.invalid"])(
    "reports %s as an address to listen on, and the variable that sets it",
    async (host, { createProject, expect }) => {
      const project = await createProject({ quick: { code: "return 1;" } });
      await expect(startService(project, { env: { SIGNALBOX_HOST: host } })).rejects.toThrow(
        new RegExp(`cannot listen on ${host}: .*Correct SIGNALBOX_HOST`),
      );
    },
  );

  test("a cancel over the API ends a running run at once", async ({ startService, expect }) => {
    const { startRun, call, project, ended } = await startService({ work: { code: `mark("begun"); ${hang}` } });
    const id = await startRun("work");
    await expect.poll(() => project.marks()).toContain("begun");
    await call("POST", `/runs/${id}/cancel`);
    await expect.poll(() => ended).toMatchObject([{ runId: id, status: "canceled" }]);
  });

  test("web has a lower priority than the receiver, so that webhooks come first on a busy processor", async ({
    startService,
    expect,
  }) => {
    const { pidOf, call } = await startService({ work: { code: `return 1;` } });
    await expect.poll(() => call("GET", "/runs").then(({ status }) => status)).toBe(200);
    expect(getPriority(pidOf("web"))).toBe(Math.min(getPriority() + 10, constants.priority.PRIORITY_LOW));
    expect(getPriority(pidOf("receiver"))).toBe(getPriority());
  });

  test("starts web again when it dies; the receiver and runs continue meanwhile", async ({ startService, expect }) => {
    const { supervisor, call, notices, startRun, project, ended, pidOf } = await startService({
      work: { code: `mark("begun"); await until(() => marks().includes("web is back")); return 1;` },
    });
    await startRun("work");
    await expect.poll(() => project.marks()).toContain("begun");
    const receiver = pidOf("receiver");
    const statusOf = async (path: string) => (await fetch(supervisor.url + path)).status;
    process.kill(pidOf("web"), "SIGKILL");
    await expect
      .poll(
        async () => [await statusOf("/triggers/nowhere"), await statusOf("/healthz"), await statusOf("/api/v1/runs")],
        {
          interval: 1,
        },
      )
      .toEqual([404, 200, 503]);
    await expect.poll(() => notices.join()).toContain("The web process was killed (SIGKILL). It restarts");
    await expect.poll(() => call("GET", "/runs").then(({ status }) => status)).toBe(200);
    await writeFile(join(project.dir, "marks.txt"), "web is back\n");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", attempt: 1 }]);
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
    await expect.poll(() => project.marks()).toContain("begun");
    const [receiver, web] = [pidOf("receiver"), pidOf("web")];
    process.kill(receiver, "SIGKILL");
    await expect.poll(() => notices.join()).toContain("The receiver was killed (SIGKILL). It restarts");
    const statusOf = (path: string) =>
      fetch(supervisor.url + path, { headers: { connection: "close" } }).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(() => statusOf("/triggers/nowhere")).toBe(404);
    expect(await statusOf("/api/v1/runs")).toBe(200);
    await writeFile(join(project.dir, "marks.txt"), "it is back\n");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", attempt: 1 }]);
    expect(pidOf("web")).toBe(web);
    expect(pidOf("receiver")).not.toBe(receiver);
  });

  test("no step is repeated and no run is lost when the receiver is killed while workers execute, and the workers keep running", async ({
    startService,
    expect,
  }) => {
    const code = `
      for (const name of ["one", "two", "three"]) await ctx.step(name, async () => {
        mark(name + " of " + ctx.run.id);
        await until(() => marks().includes("after " + name));
      });
      return "done";`;
    const { startRun, project, ended, pidOf, notices } = await startService({ work: { code } });
    const ids = await Promise.all(Array.from({ length: 5 }, () => startRun("work")));
    const workers = () => childrenOf(project).filter(({ command }) => command.includes("/worker.js"));
    const marksOf = async (name: string) => (await project.marks()).filter((mark) => mark.startsWith(`${name} of`));
    let before: ReturnType<typeof workers> = [];
    for (const name of ["one", "two", "three"]) {
      await expect.poll(() => marksOf(name)).toHaveLength(ids.length);
      if (before.length === 0) before = workers();
      process.kill(pidOf("receiver"), "SIGKILL");
      await appendFile(join(project.dir, "marks.txt"), `after ${name}\n`);
    }
    await expect.poll(() => ended).toHaveLength(ids.length);
    expect(ended.map(({ runId }) => runId).toSorted()).toEqual(ids.toSorted());
    expect(ended.map(({ status, attempt }) => ({ status, attempt }))).toEqual(
      ids.map(() => ({ status: "completed", attempt: 1 })),
    );
    for (const name of ["one", "two", "three"])
      expect((await marksOf(name)).toSorted()).toEqual(ids.map((id) => `${name} of ${id}`).toSorted());
    expect(workers()).toEqual(before);
    expect(notices).toEqual(Array(3).fill(expect.stringContaining("The receiver was killed (SIGKILL). It restarts")));
  });

  test("the runs of a worker that dies while there is no receiver continue when the receiver is back", async ({
    startService,
    expect,
  }) => {
    const code = `
      mark(String(process.pid));
      if (marks().length === 1) ${hang}
      return "done";`;
    const { startRun, project, ended, pidOf, call } = await startService({ work: { code } });
    const id = await startRun("work");
    await expect.poll(() => project.marks()).toHaveLength(1);
    const [worker] = await project.marks();
    process.kill(pidOf("receiver"), "SIGKILL");
    process.kill(Number(worker), "SIGKILL");
    await expect.poll(() => ended).toMatchObject([{ runId: id, status: "completed", attempt: 1 }]);
    expect(await project.marks()).toHaveLength(2);
    // The next receiver knows how the worker died.
    const timeline = await call("GET", `/runs/${id}/timeline`);
    expect(JSON.stringify(timeline.json)).toContain("killed by an external signal (SIGKILL)");
  });

  test("a reload while the receiver restarts activates the new build, and runs of the old one end undisturbed", async ({
    startService,
    expect,
  }) => {
    const { supervisor, startRun, project, ended, notices, pidOf } = await startService({
      work: { code: `mark("old"); await until(() => marks().includes("go on")); return "old";` },
    });
    const old = await startRun("work");
    await expect.poll(() => project.marks()).toContain("old");
    process.kill(pidOf("receiver"), "SIGKILL");
    await expect.poll(() => notices.join()).toContain("The receiver was killed");
    await project.write({ work: { code: `mark("new"); return "new";` } });
    await supervisor.reload();
    const fresh = await startRun("work");
    await expect.poll(() => ended.map(({ runId }) => runId)).toEqual([fresh]);
    expect(await project.marks()).toEqual(["old", "new"]);
    await appendFile(join(project.dir, "marks.txt"), "go on\n");
    await expect
      .poll(() => ended.find(({ runId }) => runId === old))
      .toMatchObject({ status: "completed", attempt: 1 });
  });

  test("only the receiver and web have the store open", async ({ startService, expect }) => {
    const { startRun, project, ended, pidOf } = await startService({ quick: { code: "return 1;" } });
    await startRun("quick");
    await expect.poll(() => ended).toHaveLength(1);
    const ofStore = (file: string) => file.startsWith(join(project.dir, ".signalbox/signalbox.db"));
    const havingStore = [process.pid, ...childrenOf(project).map(({ pid }) => pid)].filter((pid) =>
      openFiles(pid).some(ofStore),
    );
    expect(havingStore.toSorted()).toEqual([pidOf("receiver"), pidOf("web")].toSorted());
  });

  test("a reload activates the new build in the receiver, web and workers", async ({ startService, expect }) => {
    const { supervisor, call, startRun, project, ended } = await startService({ old: { code: "return 1;" } });
    expect((await call("POST", "/workflows/fresh/runs", {})).status).toBe(404);
    await project.write({ fresh: { code: "return 2;" } });
    await supervisor.reload();
    await startRun("fresh");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", target: { slug: "fresh" } }]);
  });

  test("a reload of a damaged build is rejected, and the previous build stays active", async ({
    startService,
    expect,
  }) => {
    const { supervisor, startRun, project, ended } = await startService({ old: { code: "return 1;" } });
    await writeFile(join(project.dir, ".signalbox", "manifest.json"), "{}");
    await expect(supervisor.reload()).rejects.toThrow(/manifest\.json is damaged/);
    await startRun("old");
    await expect.poll(() => ended).toMatchObject([{ status: "completed", target: { slug: "old" } }]);
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
    await expect.poll(() => project.marks()).toContain("begun");
    await startRun("block");
    await expect.poll(() => project.marks()).toContain("blocks");
    const startedAt = performance.now();
    await Promise.all([supervisor.close(), supervisor.close()]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(childrenOf(project)).toEqual([]);
    await expect(fetch(supervisor.url)).rejects.toThrow("fetch failed");
  });
});
