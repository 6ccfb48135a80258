import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchProject } from "./watch-project.ts";

test("a file of a linked package is watched once the build has read it, also when it is replaced, and its neighbours are not", async () => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-")));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  for (const folder of ["apps/hooks", "shared"]) mkdirSync(join(parent, folder), { recursive: true });
  // A link at another depth: what the build says is relative to the real folder.
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
  // Replacements that come at once after a change may be told as that one: the next one then has to be seen.
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
