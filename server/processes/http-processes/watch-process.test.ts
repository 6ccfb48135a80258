import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createProcessWatch, assessProcess, watchEveryMs } from "./watch-process.ts";

test("a process that sent a message in the last eight seconds is never killed", () => {
  fc.assert(
    fc.property(fc.nat(8_000), fc.nat(8_000), (silentMs, unresponsiveMs) => {
      expect(assessProcess({ silentMs, unresponsiveMs: Math.min(silentMs, unresponsiveMs) })).toBe("fine");
    }),
  );
});

test("a process none of whose threads sent a message for longer was stopped", () => {
  expect(assessProcess({ silentMs: 8_001, unresponsiveMs: 8_001 })).toBe("stopped");
});

test("an alive process may block its event loop for 18 seconds: a locked store blocks it for five at a time", () => {
  expect(assessProcess({ silentMs: 18_000, unresponsiveMs: 1_000 })).toBe("fine");
  expect(assessProcess({ silentMs: 18_001, unresponsiveMs: 1_000 })).toBe("blocked");
});

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

/** A process that sends messages only when the test calls its functions. */
function createChild() {
  const startedAt = performance.now();
  let readyAt: number | null = startedAt;
  let lastMessageAt = startedAt;
  let lastAliveAt = startedAt;
  let disk: { waitingFor: string; since: number } | null = null;
  const kill = vi.fn<(how?: string) => void>();
  return {
    startedAt,
    readyAt: () => readyAt,
    silentMs: () => performance.now() - lastMessageAt,
    unresponsiveMs: () => performance.now() - lastAliveAt,
    blockReports: () => [{ runId: null, stack: "    at matchForEver (sources.mjs:1:1)" }],
    diskWait: () => disk && { waitingFor: disk.waitingFor, waitedMs: performance.now() - disk.since },
    kill,
    hangsInDisk: (waitingFor: string | null) =>
      (disk = waitingFor === null ? null : { waitingFor, since: performance.now() }),
    starts: () => (readyAt = null),
    beats: () => (lastMessageAt = lastAliveAt = performance.now()),
    watcherBeats: () => (lastAliveAt = performance.now()),
  };
}

/** Checks as often as the keeper does. `each`: called before each check. */
async function pass(ms: number, check: () => Promise<void>, each: () => void = () => {}): Promise<void> {
  for (let passed = 0; passed < ms; passed += watchEveryMs) {
    vi.advanceTimersByTime(watchEveryMs);
    each();
    await check();
  }
}

function watch() {
  const child = createChild();
  const stacks: string[] = [];
  const disk: string[] = [];
  const check = createProcessWatch({
    child: () => child,
    onBlocked: (stack) => stacks.push(stack),
    onDiskStalled: ({ waitingFor, waitedMs }) => disk.push(`${waitingFor} for ${waitedMs / 1000} s`),
    onDiskResponds: (stalledMs) => disk.push(`responds after ${stalledMs / 1000} s`),
  });
  return { child, stacks, disk, check };
}

test("a web process with a heartbeat is never killed", async () => {
  const { child, check } = watch();
  await pass(120_000, check, child.beats);
  expect(child.kill).not.toHaveBeenCalled();
});

test("a stopped process is killed within eleven seconds, once, and the reason is described", async () => {
  const { child, check, stacks } = watch();
  await pass(9_500, check);
  expect(child.kill).not.toHaveBeenCalled();
  await pass(1_500, check);
  expect(child.kill.mock.calls).toEqual([
    [expect.stringMatching(/^did not respond for 10 s, as if stopped by SIGSTOP/)],
  ]);
  await pass(5_000, check);
  expect(child.kill).toHaveBeenCalledTimes(1);
  expect(stacks).toEqual([]);
});

test("a web process whose event loop is blocked is killed within 21 seconds, and the stack is reported", async () => {
  const { child, check, stacks } = watch();
  await pass(19_500, check, child.watcherBeats);
  expect(child.kill).not.toHaveBeenCalled();
  await pass(1_500, check, child.watcherBeats);
  expect(child.kill.mock.calls).toEqual([
    [expect.stringContaining("did not respond for 20 s, because its event loop was blocked")],
  ]);
  expect(stacks).toEqual(["    at matchForEver (sources.mjs:1:1)"]);
});

test("a process that resumes within two seconds after it was found is not killed", async () => {
  const { child, check } = watch();
  for (let round = 0; round < 5; round += 1) {
    await pass(9_000, check);
    child.beats();
    await check();
  }
  expect(child.kill).not.toHaveBeenCalled();
});

test("after a delay of the supervisor itself, the process gets time to respond", async () => {
  const { child, check } = watch();
  await pass(1_000, check, child.beats);
  // Both were stopped together, and resume together.
  vi.advanceTimersByTime(3_600_000);
  await check();
  await pass(1_500, check);
  child.beats();
  await pass(60_000, check, child.beats);
  expect(child.kill).not.toHaveBeenCalled();
});

test("a process that is never ready is killed after two minutes", async () => {
  const { child, check } = watch();
  child.starts();
  await pass(120_000, check);
  expect(child.kill).not.toHaveBeenCalled();
  await pass(500, check);
  expect(child.kill.mock.calls).toEqual([["did not start within 2 min, and was ended"]]);
});

test("a disk that does not respond is reported after five seconds, once, and when it responds again", async () => {
  const { child, disk, check } = watch();
  for (const hangMs of [4_500, 12_000]) {
    child.hangsInDisk("commit");
    await pass(hangMs, check, child.watcherBeats);
    child.hangsInDisk(null);
    child.beats();
    await check();
  }
  expect(disk).toEqual(["commit for 5 s", "responds after 12 s"]);
  expect(child.kill).not.toHaveBeenCalled();
});

test("a process that the disk blocks for 20 seconds is ended, and the disk is named, not the event loop", async () => {
  const { child, stacks, disk, check } = watch();
  child.hangsInDisk("commit");
  await pass(21_000, check, child.watcherBeats);
  expect(child.kill.mock.calls).toEqual([
    ["did not respond for 20 s, because the disk of the store did not, and was ended"],
  ]);
  expect([disk, stacks]).toEqual([["commit for 5 s"], []]);
});
