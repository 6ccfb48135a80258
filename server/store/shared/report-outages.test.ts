import { expect, it, onTestFinished, vi } from "vitest";
import { AppError } from "../../contract/app-error.ts";
import { systemClock } from "../../ports/clock.ts";
import { createThrottledLogger, type Logger, silentLogger } from "../../ports/logger.ts";
import { openMemoryStore } from "../sqlite/open-store.ts";
import { reportOutages } from "./report-outages.ts";

/** A store that can be away. Only the test moves the time. */
function openStore() {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearInterval", "performance"] });
  const lines: string[] = [];
  const write = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    void lines.push(`${level} ${message}${fields?.["unavailableFor"] ? ` ${String(fields["unavailableFor"])}` : ""}`);
  const logger: Logger = { ...silentLogger, info: write("info"), warn: write("warn"), error: write("error") };
  const real = openMemoryStore({ clock: systemClock });
  let away: Error | null = null;
  const hanging: (() => void)[] = [];
  let hangs = false;
  const fail = async <Result>(operation: () => Promise<Result>) => {
    if (hangs) await new Promise<void>((resolve) => void hanging.push(resolve));
    if (away) throw away;
    return await operation();
  };
  const store = reportOutages(
    {
      ...real,
      close: async () => {},
      ping: () => fail(async () => {}),
      listKeys: () => fail(real.listKeys),
      saveAlertPlan: (p) => fail(() => real.saveAlertPlan(p)),
    },
    createThrottledLogger(logger, () => performance.now()),
  );
  onTestFinished(async () => {
    vi.useRealTimers();
    await real.close();
  });
  return {
    store,
    lines,
    setAway: (error: Error | null) => void (away = error),
    hang: () => void (hangs = true),
    resume() {
      hangs = false;
      for (const resume of hanging.splice(0)) resume();
    },
  };
}

const away = new AppError("store_unavailable", "The database cannot be reached.");

it("logs when the store becomes unavailable and, once, when it is available again and how long it was not", async () => {
  const { store, lines, setAway } = openStore();
  await store.listKeys();
  expect(lines).toEqual([]);
  setAway(away);
  for (let passedMs = 0; passedMs < 5 * 60_000 - 5_000; passedMs += 500) {
    await expect(store.listKeys()).rejects.toThrow(away);
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(lines).toEqual(Array<string>(5).fill("warn store unavailable"));
  setAway(null);
  // Reads can succeed while writes fail: only the ping shows it.
  await store.listKeys();
  expect(lines).toHaveLength(5);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines.slice(5)).toEqual(["warn store available again 4 min 56 s"]);
});

it("checks an unavailable store by itself, if nothing else uses it", async () => {
  const { store, lines, setAway } = openStore();
  setAway(away);
  await expect(store.listKeys()).rejects.toThrow(away);
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect(lines.length).toBeLessThanOrEqual(3);
  setAway(null);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(lines.at(-1)).toMatch(/^warn store available again/);
});

it("does not report errors of requests, and nothing after it was closed", async () => {
  const { store, lines, setAway } = openStore();
  setAway(new AppError("not_found", "There is no such key."));
  await expect(store.listKeys()).rejects.toThrow("no such key");
  setAway(away);
  await store.close();
  await expect(store.listKeys()).rejects.toThrow(away);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines).toEqual([]);
});

it("logs a store that does not respond when it is noticed, once, and when it responds again", async () => {
  const { store, lines, hang, resume } = openStore();
  hang();
  const waiting = [store.listKeys(), store.ping()];
  await vi.advanceTimersByTimeAsync(4_000);
  expect([lines, store.stall?.()]).toEqual([[], null]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines).toEqual(["warn store does not respond"]);
  expect(store.stall?.()).toMatchObject({ waitingFor: "read", ms: 64_000 });
  resume();
  await Promise.all(waiting);
  expect(lines.slice(1)).toEqual(["warn store responds again 1 min 4 s"]);
  expect(store.stall?.()).toBeNull();
});

it("does not report one slow operation while others are answered", async () => {
  const { store, lines, hang, resume } = openStore();
  hang();
  const slow = store.listKeys();
  for (let passedMs = 0; passedMs < 30_000; passedMs += 1_000) {
    await store.countActiveAlerts();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  resume();
  await slow;
  expect(lines).toEqual([]);
});
