import { describe, expect, it, vi } from "vitest";
import { expectAnswersOf, expectNothingLost, linesWith, readRuns, statusOf } from "./expectations.ts";
import { prepareFaultyProject, startFaultyService } from "./faulty-service.ts";
import { sendNote, startLoad } from "./load.ts";
import { createFakeClock } from "./set-clock.ts";

const hour = 3_600;
const day = 24 * hour;
/** Long enough that it is put aside, and not waited for by the process that ran it. */
const sleepMs = 6_000;

describe("a clock that is changed while runs execute, sleep and wait", () => {
  it("an hour back and then a day ahead loses no run, repeats no step, restarts no process, and delays no sleep by an hour", async () => {
    const project = prepareFaultyProject();
    const clock = createFakeClock(project.projectDir);
    const service = await startFaultyService(project, { env: clock.env });
    const { url, key } = service;
    await vi.waitFor(async () => expect((await statusOf(`${url}/readyz`)).status).toBe(200));
    const processes = [service.receiver(), service.web(), service.workers()];
    const load = startLoad({ url, key, clients: 2, paceMs: 150, ms: 50, sleepMs: 300 });
    const accepted = () => load.answers().filter(({ status }) => status === 202).length;
    const others = [];

    for (const offsetSeconds of [-hour, day]) {
      await vi.waitFor(() => expect(accepted()).toBeGreaterThan(10));
      const running = await sendNote({ url, key, ms: 4_000, sleepMs: 10 });
      const sleeping = await sendNote({ url, key, ms: 5, sleepMs });
      others.push(running, sleeping);
      await vi.waitFor(() =>
        expect(statusesOf(service.file, [running.runId, sleeping.runId])).toEqual(["running", "waiting"]),
      );
      clock.set(offsetSeconds);
      const before = accepted();
      await vi.waitFor(() => expect(accepted()).toBeGreaterThan(before + 20));
      // A wait of seconds is over in a time of seconds, also by a clock that has to show its end once more.
      await vi.waitFor(() =>
        expect(statusesOf(service.file, [running.runId, sleeping.runId])).toEqual(["completed", "completed"]),
      );
    }

    await vi.waitFor(async () => expect((await statusOf(`${url}/readyz`)).status).toBe(200), {
      interval: 500,
    });
    const answers = [...(await load.finish()), ...others];
    expectAnswersOf(answers, [202]);
    await expectNothingLost(service, answers);
    expect([service.receiver(), service.web(), service.workers()]).toEqual(processes);
    expect(linesWith(service.output(), "worker process")).toEqual([]);
    expect(readRuns(service.file).filter(({ attempt }) => attempt !== 1)).toEqual([]);
    expect(await service.stop()).toBe(0);
  });
});

function statusesOf(file: string, runIds: readonly (string | null)[]): (string | undefined)[] {
  const runs = readRuns(file);
  return runIds.map((runId) => runs.find(({ id }) => id === runId)?.status);
}
