import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchProject } from "./watch-project.ts";

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
    { timeout: 5000, interval: 200 },
  );
  expect(new Set(changed)).toEqual(new Set(["../../shared/rates.ts"]));
});
