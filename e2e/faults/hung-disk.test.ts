import { expect, it, vi } from "vitest";
import { attachStrace, findOrInstallStrace } from "../auditor/strace.ts";
import { linesWith } from "./expectations.ts";
import { prepareFaultyProject, startFaultyService } from "./faulty-service.ts";
import { startLoad } from "./load.ts";

/** Longer than the time after which it is reported, and shorter than that after which the process is replaced. */
const hangsForMs = 10_000;

it("a disk that hangs is reported while it hangs, by its name, and when it responds again; nothing is lost or blamed on a lock", async () => {
  if (!findOrInstallStrace())
    throw new Error("strace is needed to have system calls hang: apt-get install strace, where ptrace is allowed.");
  const service = await startFaultyService(prepareFaultyProject());
  const load = startLoad({ url: service.url, key: service.key, clients: 1, paceMs: 50, ms: 20, sleepMs: 500 });
  await vi.waitFor(() => expect(load.answers().length).toBeGreaterThan(10));
  const processes = [service.receiver(), service.web(), service.workers()];

  const calls = "fdatasync,fsync";
  const hang = [
    "-o",
    "/dev/null",
    "-e",
    `trace=${calls}`,
    "-e",
    `inject=${calls}:delay_enter=${hangsForMs * 1_000}:when=1`,
  ];
  const faults = await Promise.all(service.receiver().map((pid) => attachStrace(pid, hang)));
  const stalled = "the disk of the store does not respond to the receiver";
  await vi.waitFor(() => expect(linesWith(service.output(), stalled)).toHaveLength(1));
  expect(linesWith(service.output(), stalled)[0]).toMatch(/"waitingFor":"commit"/);
  await vi.waitFor(() =>
    expect(linesWith(service.output(), "the disk of the store responds again to the receiver")).toHaveLength(1),
  );
  await Promise.all(faults.map((one) => one.detach()));
  const from = load.answers().length;
  await vi.waitFor(() => expect(load.answers().length).toBeGreaterThan(from + 10));
  await load.finish();
  expect([service.receiver(), service.web(), service.workers()]).toEqual(processes);
  expect(await service.stop()).toBe(0);
});
