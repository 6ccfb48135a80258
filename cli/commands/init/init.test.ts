import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runFakeCli } from "../testing/fake-host.ts";

function twoFolders(): { project: string; elsewhere: string } {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-init-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const [project, elsewhere] = [join(dir, "project"), join(dir, "elsewhere")];
  mkdirSync(project);
  mkdirSync(elsewhere);
  return { project, elsewhere };
}

const links: [what: string, path: string, isThere: boolean][] = [
  ["a file", "signalbox.config.ts", true],
  ["a file that is missing", "signalbox.config.ts", false],
  ["a file whose lines are merged", ".gitignore", true],
  ["the package.json", "package.json", true],
  ["a folder", "triggers", true],
];

it.each(links)(
  "writes nothing through a symbolic link to %s (%s, there: %s), also with --force",
  async (_, path, isThere) => {
    const { project, elsewhere } = twoFolders();
    const target = join(elsewhere, "target");
    if (isThere && path === "triggers") mkdirSync(target);
    else if (isThere) writeFileSync(target, path === "package.json" ? "{}" : "mine\n");
    const before = () =>
      readdirSync(elsewhere, { recursive: true }).map((name) => [
        name,
        path === "triggers" ? "" : readFileSync(join(elsewhere, String(name)), "utf8"),
      ]);
    const untouched = before();
    symlinkSync(target, join(project, path));
    for (const options of [[], ["--force"]]) {
      const answer = await runFakeCli(["init", project, ...options]);
      expect(answer).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: expect.stringContaining(
          `symbolic link, and \`init\` writes only into the project's own folder:\n    ${path}\n`,
        ),
      });
      expect(before()).toEqual(untouched);
      expect(readdirSync(project)).toEqual([path]);
    }
  },
);

it("accepts a project folder that is itself a link", async () => {
  const { project, elsewhere } = twoFolders();
  symlinkSync(project, join(elsewhere, "link"));
  expect((await runFakeCli(["init", join(elsewhere, "link")])).exitCode).toBe(0);
  expect(readdirSync(project)).toContain("signalbox.config.ts");
});
