import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import { openSqliteStore } from "../../store/sqlite/open-store.ts";
import { createFamilySettler } from "./family-settler.ts";
import { createRunHost } from "./run-host.ts";

/** `answers`: what each call of `settleRuns` does. Afterwards there is nothing to settle. */
function open(answers: readonly (boolean | Error)[]) {
  let calls = 0;
  let settled = 0;
  const warnings: string[] = [];
  const settler = createFamilySettler({
    store: {
      async settleRuns() {
        const answer = answers[calls];
        calls += 1;
        if (answer instanceof Error) throw answer;
        return answer ?? false;
      },
    },
    clock: systemClock,
    logger: { ...silentLogger, warn: (message: string) => void warnings.push(message) },
    onSettled: () => void (settled += 1),
  });
  return { settler, warnings, calls: () => calls, settled: () => settled };
}

it("settles until nothing is left, and reports each time that runs may be due", async () => {
  const { settler, calls, settled } = open([true, true]);
  settler.settle();
  await settler.close();
  expect([calls() >= 1, settled()]).toEqual([true, 1]);
  const other = open([true, true]);
  other.settler.settle();
  await vi.waitFor(() => expect([other.calls(), other.settled()]).toEqual([3, 2]));
});

it("settles again if it is called meanwhile: what ended during a read is not left", async () => {
  const { settler, calls } = open([]);
  settler.settle();
  settler.settle();
  await vi.waitFor(() => expect(calls()).toBe(2));
});

it("logs an error of the store, and tries again with the next call", async () => {
  const { settler, warnings, settled } = open([new Error("no database"), true]);
  settler.settle();
  await vi.waitFor(() => expect(warnings).toHaveLength(1));
  settler.settle();
  await vi.waitFor(() => expect(settled()).toBe(1));
});

it("does nothing after it was closed", async () => {
  const { settler, calls } = open([true]);
  await settler.close();
  settler.settle();
  expect(calls()).toBe(0);
});

it("a host settles the runs that a killed process has left: at its start, and every five seconds, even if nothing changes", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const folder = mkdtempSync(join(tmpdir(), "signalbox-settler-"));
  const store = await openSqliteStore({ file: join(folder, "test.db") });
  const settleRuns = vi.fn<() => Promise<boolean>>(async () => false);
  const host = createRunHost({
    store: { ...store, settleRuns, watchRuns: () => () => {} },
    secret: "",
    readManifest: async () => null,
    readBuild: async () => null,
    mode: "deployed",
    machine: "here",
    reconcileEveryMs: 1e9,
    clock: systemClock,
    logger: silentLogger,
    onTakenOver() {},
  });
  onTestFinished(async () => {
    vi.useRealTimers();
    await host.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await host.start();
  await vi.waitFor(() => expect(settleRuns).toHaveBeenCalledTimes(1));
  vi.advanceTimersByTime(5_000);
  await vi.waitFor(() => expect(settleRuns).toHaveBeenCalledTimes(2));
});
