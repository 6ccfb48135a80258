import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cleanEnvironment } from "../scripts/clean-environment.ts";
import { readBlocks } from "../scripts/doc-blocks.ts";
import { copyStarter, repository, writeFiles } from "./support/project.ts";

/** The tests in docs/testing.md by their files, in a project of `signalbox init`. */
function writeDocumentedTests(): { projectDir: string; files: Map<string, string> } {
  const projectDir = copyStarter();
  for (const name of ["signalbox", "vitest"])
    symlinkSync(
      name === "signalbox" ? repository : join(repository, "node_modules", name),
      join(projectDir, "node_modules", name),
    );
  const files = new Map(
    readBlocks("docs/testing.md")
      .filter(({ language }) => language === "ts")
      .map(({ text }) => [/^\/\/ (\S+)\n/.exec(text)?.[1] ?? "", text]),
  );
  // As `signalbox fixtures pull github` writes it after an event of GitHub.
  const json = JSON.parse(readFileSync(join(projectDir, "requests/issue-opened.json"), "utf8")) as unknown;
  const recorded = JSON.stringify({ signalbox: "fixture", headers: { "x-github-event": "issues" }, json });
  writeFiles(projectDir, { ...Object.fromEntries(files), "fixtures/github/issues.opened.json": recorded });
  return { projectDir, files };
}

it("the tests in the documentation pass in a new project, with node:test and with Vitest", () => {
  const { projectDir, files } = writeDocumentedTests();
  const namesOf = (runner: string) =>
    [...files].flatMap(([path, text]) => (text.includes(`from "${runner}"`) ? path : []));
  const countOf = (paths: readonly string[]) =>
    paths.reduce((count, path) => count + (files.get(path)?.match(/^test\(/gm)?.length ?? 0), 0);
  const run = (args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: projectDir,
      env: { ...cleanEnvironment(), NO_COLOR: "1" },
      encoding: "utf8",
    });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  };

  const ofNode = namesOf("node:test");
  expect(ofNode.length).toBeGreaterThan(1);
  expect(run(["--test", ...ofNode])).toMatch(new RegExp(`pass ${countOf(ofNode)}$`, "m"));
  const ofVitest = namesOf("vitest");
  expect(ofVitest.length).toBeGreaterThan(3);
  expect(run(["node_modules/vitest/vitest.mjs", "run", "--maxWorkers=1", "--testTimeout=60000", ...ofVitest])).toMatch(
    new RegExp(`Tests +${countOf(ofVitest)} passed`),
  );
});
