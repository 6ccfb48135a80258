import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, test, vi } from "vitest";
import { createRebuildLoop, watchProject } from "./watch-project.ts";

test("watches a linked file that the build reads, also when it is replaced, but not its neighbours", async () => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-")));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  for (const folder of ["apps/hooks", "shared"]) mkdirSync(join(parent, folder), { recursive: true });
  // A link at another depth: paths of the build are relative to the real folder.
  symlinkSync(join(parent, "apps/hooks"), join(parent, "link"), "dir");
  writeFileSync(join(parent, "shared/rates.ts"), "1");
  const changed: string[] = [];
  const watching = await watchProject(join(parent, "link"), (path) => changed.push(path));
  onTestFinished(() => watching.stop());
  await watching.follow(["workflows/a.ts", "../../shared/rates.ts"]);

  writeFileSync(join(parent, "shared/other.ts"), "1");
  writeFileSync(join(parent, "shared/rates.ts"), "22");
  await vi.waitFor(() => expect(changed).toContain("../../shared/rates.ts"), 5000);
  changed.length = 0;
  // A replacement right after a change may be merged with it; the next one must be reported.
  const replace = () => {
    writeFileSync(join(parent, "shared/new"), `${Math.random()}`);
    renameSync(join(parent, "shared/new"), join(parent, "shared/rates.ts"));
  };
  await vi.waitFor(
    () => {
      replace();
      expect(changed).not.toEqual([]);
    },
    { interval: 200 },
  );
  expect(new Set(changed)).toEqual(new Set(["../../shared/rates.ts"]));
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const pending: (() => void)[] = [];
  const rebuild = vi.fn<() => Promise<void>>(() => new Promise<void>((resolve) => pending.push(resolve)));
  const loop = createRebuildLoop({ debounceMs: 30, rebuild });
  const finish = async () => {
    pending.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { loop, rebuild, finish };
}

it("changes in quick succession cause one rebuild", async () => {
  const { loop, rebuild } = setUp();
  loop.changed();
  await vi.advanceTimersByTimeAsync(20);
  loop.changed();
  await vi.advanceTimersByTimeAsync(29);
  expect(rebuild).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(rebuild).toHaveBeenCalledOnce();
});

it("changes during a rebuild cause one more rebuild afterwards, never a concurrent one", async () => {
  const { loop, rebuild, finish } = setUp();
  loop.changed();
  await vi.advanceTimersByTimeAsync(30);
  for (let change = 0; change < 3; change += 1) {
    loop.changed();
    await vi.advanceTimersByTimeAsync(30);
  }
  expect(rebuild).toHaveBeenCalledTimes(1);
  await finish();
  expect(rebuild).toHaveBeenCalledTimes(2);
  await finish();
  expect(rebuild).toHaveBeenCalledTimes(2);
  loop.changed();
  await vi.advanceTimersByTimeAsync(30);
  expect(rebuild).toHaveBeenCalledTimes(3);
});

it("closing waits for the current rebuild, and starts none", async () => {
  const { loop, rebuild, finish } = setUp();
  loop.changed();
  await vi.advanceTimersByTimeAsync(30);
  loop.changed();
  await vi.advanceTimersByTimeAsync(30);
  let isClosed = false;
  const closing = loop.close().then(() => (isClosed = true));
  await vi.advanceTimersByTimeAsync(100);
  expect(isClosed).toBe(false);
  await finish();
  await closing;
  loop.changed();
  await vi.advanceTimersByTimeAsync(100);
  expect(rebuild).toHaveBeenCalledOnce();
});
