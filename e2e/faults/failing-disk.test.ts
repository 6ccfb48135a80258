import { describe, expect, it, vi } from "vitest";
import { attachStrace, findOrInstallStrace } from "../auditor/strace.ts";
import { expectAnswersOf, expectNothingLost, linesWith, statusOf } from "./expectations.ts";
import { prepareFaultyProject, startFaultyService } from "./faulty-service.ts";
import { startLoad } from "./load.ts";

const failsForMs = 4_000;

describe("a failing disk (EIO)", () => {
  it.each([
    { name: "to bring data to the platter", calls: "fdatasync,fsync" },
    { name: "to write", calls: "pwrite64" },
  ])(
    "$name: what was not brought to disk is not accepted, what was accepted is there after kill -9",
    async ({ calls }) => {
      if (!findOrInstallStrace())
        throw new Error(
          "strace is needed to have system calls fail: apt-get install strace, and run where ptrace is allowed.",
        );
      const project = prepareFaultyProject();
      const service = await startFaultyService(project);
      const { url, key } = service;
      const processes = [service.receiver(), service.web(), service.workers()];
      const load = startLoad({ url, key, clients: 4, paceMs: 50, ms: 20, sleepMs: 500 });
      const since = (from: number, status: number) =>
        load
          .answers()
          .slice(from)
          .filter((answer) => answer.status === status).length;
      await vi.waitFor(() => expect(since(0, 202)).toBeGreaterThan(30));

      const fault = ["-o", "/dev/null", "-e", `trace=${calls}`, "-e", `inject=${calls}:error=EIO`];
      const faults = await Promise.all(
        [...service.receiver(), ...service.web()].map((pid) => attachStrace(pid, fault)),
      );
      const from = load.answers().length;
      const failsSince = performance.now();
      while (performance.now() - failsSince < failsForMs) {
        expect((await statusOf(`${url}/healthz`)).status).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      expect((await statusOf(`${url}/readyz`)).text).toContain("The disk of the database cannot be read or written");
      // Requests in flight when the disk began to fail may have succeeded.
      expectAnswersOf(load.answers().slice(from + 4), [503]);
      expect(since(from, 503)).toBeGreaterThan(5);
      expect(linesWith(service.output(), "could not store a delivery").length).toBeGreaterThan(0);
      await Promise.all(faults.map((one) => one.detach()));

      const healedFrom = load.answers().length;
      await vi.waitFor(() => expect(since(healedFrom, 202)).toBeGreaterThan(20));
      expect([service.receiver(), service.web(), service.workers()]).toEqual(processes);
      const answers = await load.finish();
      expectAnswersOf(answers, [202, 503]);
      await service.killGroup();

      const again = await startFaultyService(project);
      // A step that was in progress at the kill is executed again.
      await expectNothingLost(again, answers, { isExactlyOnce: false });
      expect(await again.stop()).toBe(0);
    },
  );
});
