import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readSettings } from "../config.ts";
import { silentLogger } from "../ports/logger.ts";
import type { SupervisorToWeb, WebToSupervisor } from "./protocol.ts";
import { keepWeb } from "./web-keeper.ts";
import type { WebChild, WebEnd } from "./web-child.ts";

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

interface FakeWeb {
  startedAt: number;
  port: number | undefined;
  sent: SupervisorToWeb[];
  say(message: WebToSupervisor): void;
  serve(): Promise<void>;
  end(end: WebEnd): Promise<void>;
}

/** Web processes that do what the test says, in the order in which they were started. */
function fakeWebs() {
  const webs: FakeWeb[] = [];
  function fork({
    start,
    onMessage,
  }: {
    start: { flags?: { port?: number } };
    onMessage: (message: WebToSupervisor) => void;
  }): WebChild {
    const ready = Promise.withResolvers<{ host: string; port: number }>();
    const exited = Promise.withResolvers<WebEnd>();
    const startedAt = performance.now();
    let readyAt: number | null = null;
    let heardAt = startedAt;
    const sent: SupervisorToWeb[] = [];
    ready.promise.catch(() => {});
    const end = async (how: WebEnd) => {
      ready.reject(new Error(`The web process ${how.how} before it was ready.`));
      exited.resolve(how);
      await vi.advanceTimersByTimeAsync(0);
    };
    webs.push({
      startedAt,
      port: start.flags?.port,
      sent,
      say(message) {
        heardAt = performance.now();
        onMessage(message);
      },
      async serve() {
        heardAt = readyAt = performance.now();
        ready.resolve({ host: "127.0.0.1", port: 4321 });
        await vi.advanceTimersByTimeAsync(0);
      },
      end,
    });
    return {
      startedAt,
      readyAt: () => readyAt,
      heardAt: () => heardAt,
      livedAt: () => heardAt,
      blockReports: () => [],
      send: (message) => void sent.push(message),
      kill: (how) => void end({ how: how ?? "was killed (SIGKILL)", isOwnFault: false }),
      ready: ready.promise,
      exited: exited.promise,
    };
  }
  return { webs, fork, last: () => webs.at(-1) ?? raise() };
}

function raise(): never {
  throw new Error("no web process was started");
}

const killed: WebEnd = { how: "was killed (SIGKILL)", isOwnFault: false };
const failed: WebEnd = { how: "ended with exit code 1", isOwnFault: true };

async function keep() {
  const fake = fakeWebs();
  const notices: string[] = [];
  const keeping = keepWeb({
    settings,
    env: {},
    reporter: { delivery() {}, runEnded() {}, notice: (_, message) => notices.push(message) },
    logger: silentLogger,
    onMessage() {},
    mapStack: async (stack) => stack,
    fork: fake.fork,
  });
  await vi.advanceTimersByTimeAsync(500);
  await fake.last().serve();
  return { ...fake, keeper: await keeping, notices };
}

test("a web process that is started again knows of the failed build, too", async () => {
  const { keeper, last } = await keep();
  const report = { at: "2026-11-21T10:00:00.000Z", problems: [] };
  keeper.reportBuild(report);
  expect(last().sent).toEqual([{ type: "build", failed: report }]);
  await last().end(killed);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(last().sent).toEqual([{ type: "build", failed: report }]);
  keeper.reportBuild(null);
  await last().end(killed);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(last().sent).toEqual([]);
});

test("a healthy web process that is killed is started again at once, on the same port, however often it happens", async () => {
  const { webs, last, notices } = await keep();
  for (let n = 0; n < 20; n += 1) {
    await vi.advanceTimersByTimeAsync(700);
    const killedAt = performance.now();
    await last().end(killed);
    expect(webs).toHaveLength(n + 2);
    expect(last().startedAt).toBe(killedAt);
    expect(last().port).toBe(4321);
    await vi.advanceTimersByTimeAsync(500);
    await last().serve();
  }
  expect(new Set(notices)).toEqual(new Set(["The web process was killed (SIGKILL). It restarts."]));
});

test("one that does not come up is started after growing pauses, and the first kill after it served costs none", async () => {
  const { webs, last, notices } = await keep();
  const pauses: number[] = [];
  for (let n = 0; n < 8; n += 1) {
    const endedAt = performance.now();
    const count = webs.length;
    await last().end(failed);
    while (webs.length === count) await vi.advanceTimersByTimeAsync(250);
    pauses.push(performance.now() - endedAt);
  }
  expect(pauses).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000]);
  expect(notices.at(-1)).toBe("The web process ended with exit code 1. It restarts in 16.0 s.");
  await last().serve();
  await vi.advanceTimersByTimeAsync(1_000);
  const count = webs.length;
  await last().end(killed);
  expect(webs).toHaveLength(count + 1);
});

test("one that falls silent is ended, and started again at once", async () => {
  const { webs, last, notices } = await keep();
  for (let n = 0; n < 40; n += 1) {
    last().say({ type: "heartbeat" });
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(webs).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(webs).toHaveLength(2);
  expect(notices).toEqual([expect.stringMatching(/^The web process did not respond for 10 s.* It restarts\.$/)]);
});

test("a reload that the web process cannot answer any more is refused, not left open", async () => {
  const { last, keeper } = await keep();
  const reloading = keeper.reload();
  expect(last().sent).toEqual([{ type: "reload", env: {} }]);
  void last().end(killed);
  await expect(reloading).rejects.toThrow("The web process was killed (SIGKILL).");
});

test("a close ends the pause before a start, and nothing is started any more", async () => {
  const { webs, last, keeper } = await keep();
  for (const pauseMs of [0, 250, 500]) {
    await last().end(failed);
    await vi.advanceTimersByTimeAsync(pauseMs);
  }
  await last().end(failed);
  const count = webs.length;
  expect(count).toBe(4);
  await keeper.close(1_000);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(webs).toHaveLength(count);
});
