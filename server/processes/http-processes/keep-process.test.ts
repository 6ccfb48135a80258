import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readSettings } from "../../config.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { HttpProcessToSupervisor, ProcessStart, SupervisorToHttpProcess } from "../protocol.ts";
import type { HttpChild, HttpChildEnd } from "./child.ts";
import { keepProcess } from "./keep-process.ts";

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

const settings = readSettings({
  projectDir: "/nowhere",
  mode: "deployed",
  fromProject: {},
  flags: { port: 0 },
  env: { SIGNALBOX_SECRET: "0123456789abcdef0123456789abcdef" },
});

interface FakeChild {
  startedAt: number;
  start: ProcessStart;
  sent: SupervisorToHttpProcess[];
  report(message: HttpProcessToSupervisor): void;
  serve(): Promise<void>;
  end(end: HttpChildEnd): Promise<void>;
}

/** The processes that the test controls, in the order of their starts. */
function fakeChildren() {
  const children: FakeChild[] = [];
  function fork(p: { start: ProcessStart; onMessage: (message: HttpProcessToSupervisor) => void }): HttpChild {
    const ready = Promise.withResolvers<number | null>();
    const exited = Promise.withResolvers<HttpChildEnd>();
    const startedAt = performance.now();
    let readyAt: number | null = null;
    let lastMessageAt = startedAt;
    const sent: SupervisorToHttpProcess[] = [];
    ready.promise.catch(() => {});
    const end = async (how: HttpChildEnd) => {
      ready.reject(new Error(`The receiver ${how.how} before it was ready.`));
      exited.resolve(how);
      await vi.advanceTimersByTimeAsync(0);
    };
    children.push({
      startedAt,
      start: p.start,
      sent,
      report(message) {
        lastMessageAt = performance.now();
        p.onMessage(message);
      },
      async serve() {
        lastMessageAt = readyAt = performance.now();
        ready.resolve(4321);
        await vi.advanceTimersByTimeAsync(0);
      },
      end,
    });
    return {
      startedAt,
      readyAt: () => readyAt,
      silentMs: () => performance.now() - lastMessageAt,
      unresponsiveMs: () => performance.now() - lastMessageAt,
      blockReports: () => [],
      diskWait: () => null,
      send: (message) => void sent.push(message),
      kill: (how) => void end({ how: how ?? "was killed (SIGKILL)", isOwnFault: false }),
      ready: ready.promise,
      exited: exited.promise,
    };
  }
  return { children, fork, last: () => children.at(-1) ?? raise() };
}

function raise(): never {
  throw new Error("no process was started");
}

const killed: HttpChildEnd = { how: "was killed (SIGKILL)", isOwnFault: false };
const failed: HttpChildEnd = { how: "ended with exit code 1", isOwnFault: true };

async function keep() {
  const fake = fakeChildren();
  const notices: string[] = [];
  let port = 0;
  const keeping = keepProcess({
    program: "receiver",
    settings,
    start: () => ({ projectDir: "/nowhere", mode: "deployed", flags: { port } }),
    onStarted: (send) => port > 0 && send({ type: "port", port }),
    env: {},
    reporter: { delivery() {}, runEnded() {}, notice: (_, message) => notices.push(message) },
    logger: silentLogger,
    onMessage() {},
    mapStack: async (stack) => stack,
    fork: fake.fork,
  });
  await vi.advanceTimersByTimeAsync(500);
  await fake.last().serve();
  const keeper = await keeping;
  port = keeper.port ?? 0;
  return { ...fake, keeper, notices };
}

test("a restarted process is sent the current state at once", async () => {
  const { last } = await keep();
  expect(last().sent).toEqual([]);
  await last().end(killed);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(last().sent).toEqual([{ type: "port", port: 4321 }]);
});

test("a healthy process that is killed is started again at once, on the same port, however often it happens", async () => {
  const { children, last, notices } = await keep();
  for (let n = 0; n < 20; n += 1) {
    await vi.advanceTimersByTimeAsync(700);
    const killedAt = performance.now();
    await last().end(killed);
    expect(children).toHaveLength(n + 2);
    expect(last().startedAt).toBe(killedAt);
    expect(last().start.flags?.port).toBe(4321);
    await vi.advanceTimersByTimeAsync(500);
    await last().serve();
  }
  expect(new Set(notices)).toEqual(new Set(["The receiver was killed (SIGKILL). It restarts."]));
});

test("a process that does not become ready is started after growing pauses; after a kill of a ready one there is no pause", async () => {
  const { children, last, notices } = await keep();
  const pauses: number[] = [];
  for (let n = 0; n < 8; n += 1) {
    const endedAt = performance.now();
    const count = children.length;
    await last().end(failed);
    while (children.length === count) await vi.advanceTimersByTimeAsync(250);
    pauses.push(performance.now() - endedAt);
  }
  expect(pauses).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000]);
  expect(notices.at(-1)).toBe("The receiver ended with exit code 1. It restarts in 16.0 s.");
  await last().serve();
  await vi.advanceTimersByTimeAsync(1_000);
  const count = children.length;
  await last().end(killed);
  expect(children).toHaveLength(count + 1);
});

test("a process that becomes silent is killed, and restarted at once", async () => {
  const { children, last, notices } = await keep();
  for (let n = 0; n < 40; n += 1) {
    last().report({ type: "heartbeat" });
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(children).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(children).toHaveLength(2);
  expect(notices).toEqual([expect.stringMatching(/^The receiver did not respond for 10 s.* It restarts\.$/)]);
});

test("a reload that a process does not answer before it ends is rejected", async () => {
  const { last, keeper } = await keep();
  const reloading = keeper.reload();
  expect(last().sent).toEqual([{ type: "reload", env: {} }]);
  void last().end(killed);
  await expect(reloading).rejects.toThrow("The receiver was killed (SIGKILL).");
});

test("a close ends the pause before a start, and no process is started afterwards", async () => {
  const { children, last, keeper } = await keep();
  for (const pauseMs of [0, 250, 500]) {
    await last().end(failed);
    await vi.advanceTimersByTimeAsync(pauseMs);
  }
  await last().end(failed);
  const count = children.length;
  expect(count).toBe(4);
  await keeper.close(1_000);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(children).toHaveLength(count);
});
