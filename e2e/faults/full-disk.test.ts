import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { expectAnswersOf, expectNothingLost, linesWith, statusOf } from "./expectations.ts";
import { prepareFaultyProject, startFaultyService } from "./faulty-service.ts";
import { startLoad } from "./load.ts";
import { makeSmallDisk } from "./small-disk.ts";

const rejectedForMs = 6_000;

describe("a full disk", () => {
  it("makes the service reject webhooks with the reason; processes and runs survive, and continue once there is space", async () => {
    const disk = makeSmallDisk();
    const service = await startFaultyService(prepareFaultyProject({ file: join(disk.dir, "ledger.db") }));
    const { url, key } = service;
    const processes = [service.receiver(), service.web(), service.workers()];
    const load = startLoad({ url, key, clients: 6, paceMs: 40, paddingBytes: 5_000, ms: 50, sleepMs: 3_000 });
    const since = (from: number, status: number) =>
      load
        .answers()
        .slice(from)
        .filter((answer) => answer.status === status).length;
    await vi.waitFor(() => expect(since(0, 202)).toBeGreaterThan(50));

    const outageSince = performance.now();
    disk.takeRoom([...service.receiver(), ...service.web()]);
    await vi.waitFor(() => expect(since(0, 503)).toBeGreaterThan(0));
    const fullFrom = load.answers().length;
    const fullSince = performance.now();
    while (performance.now() - fullSince < rejectedForMs) {
      expect((await statusOf(`${url}/healthz`)).status).toBe(200);
      const ready = await statusOf(`${url}/readyz`);
      expect([ready.status, ready.text]).toEqual([
        503,
        expect.stringMatching(/Cannot write to the store\. The disk of the database (is full|cannot be)/),
      ]);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    expect(since(fullFrom, 503)).toBeGreaterThan(20);
    const lines = linesWith(service.output(), "could not store a delivery");
    expect(lines.length).toBeGreaterThan(0);
    // One line a minute, regardless of the number of rejections, and one for each different failure of the disk.
    expect(lines.length).toBeLessThanOrEqual(3 + Math.ceil((performance.now() - outageSince) / 60_000));
    expect(service.output().split("\n").length).toBeLessThan(
      200 + load.answers().filter(({ status }) => status === 202).length,
    );
    expect([service.receiver(), service.web(), service.workers()]).toEqual(processes);

    disk.giveRoom([...service.receiver(), ...service.web()]);
    const freeFrom = load.answers().length;
    await vi.waitFor(() => expect(since(freeFrom, 202)).toBeGreaterThan(20));
    const answers = await load.finish();
    expectAnswersOf(answers, [202, 503]);
    await expectNothingLost(service, answers);
    await vi.waitFor(async () => expect((await statusOf(`${url}/readyz`)).status).toBe(200));
    expect([service.receiver(), service.web(), service.workers()]).toEqual(processes);
    expect(await service.stop()).toBe(0);
  });
});
