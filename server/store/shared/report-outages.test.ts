import { expect, it, onTestFinished, vi } from "vitest";
import { AppError } from "../../contract/app-error.ts";
import { systemClock } from "../../ports/clock.ts";
import { createThrottledLogger, type Logger, silentLogger } from "../../ports/logger.ts";
import { openMemoryStore } from "../sqlite/open-store.ts";
import { reportOutages } from "./report-outages.ts";

/** A store that can be away. Only the test moves the time. */
function openStore() {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  const lines: string[] = [];
  const write = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    void lines.push(`${level} ${message}${fields?.["unavailableFor"] ? ` ${String(fields["unavailableFor"])}` : ""}`);
  const logger: Logger = { ...silentLogger, info: write("info"), warn: write("warn"), error: write("error") };
  const real = openMemoryStore({ clock: systemClock });
  let away: Error | null = null;
  const fail = <Result>(operation: () => Promise<Result>) => (away ? Promise.reject(away) : operation());
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
  return { store, lines, setAway: (error: Error | null) => void (away = error) };
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
  expect(lines.slice(5)).toEqual(["info store available again 4 min 56 s"]);
});

it("checks an unavailable store by itself, if nothing else uses it", async () => {
  const { store, lines, setAway } = openStore();
  setAway(away);
  await expect(store.listKeys()).rejects.toThrow(away);
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect(lines.length).toBeLessThanOrEqual(3);
  setAway(null);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(lines.at(-1)).toMatch(/^info store available again/);
});

it("does not report errors of requests, and nothing after it was closed", async () => {
  const { store, lines, setAway } = openStore();
  setAway(new AppError("not_found", "There is no such key."));
  await expect(store.listKeys()).rejects.toThrow();
  setAway(away);
  await store.close();
  await expect(store.listKeys()).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines).toEqual([]);
});
