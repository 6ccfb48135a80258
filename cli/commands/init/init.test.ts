import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runFakeCli } from "../testing/fake-host.ts";
import { dependenciesOf, mergeLines, packageName, planPackage } from "./init.ts";

const starter = JSON.stringify({
  name: "example",
  scripts: { dev: "signalbox dev" },
  dependencies: { provider: "^3.0.0" },
  devDependencies: { typescript: "^6.0.0" },
  allowScripts: { native: false, other: false },
});
const plan = (existing: unknown) =>
  JSON.parse(
    planPackage({
      existing: existing === null ? null : JSON.stringify(existing),
      starter,
      projectDir: "/home/me/My Hooks",
    }),
  ) as Record<string, unknown>;

it("a new package has the name of the folder and the required entries", () => {
  expect(plan(null)).toEqual({
    name: "my-hooks",
    private: true,
    type: "module",
    scripts: { dev: "signalbox dev", build: "signalbox build", start: "signalbox start" },
    dependencies: { provider: "^3.0.0", zod: expect.stringMatching(/^\^4/), signalbox: expect.stringMatching(/^\^\d/) },
    devDependencies: { typescript: "^6.0.0" },
    allowScripts: { native: false, other: false },
  });
});

it("entries of `npm init -y` and `npm i` are kept, in their order", () => {
  const existing = {
    name: "mine",
    version: "1.0.0",
    main: "index.js",
    scripts: { dev: "own", test: "vitest" },
    type: "commonjs",
    dependencies: { signalbox: "file:../x.tgz", zod: "^3.25.0" },
    allowScripts: { native: true },
  };
  const planned = plan(existing);
  expect(planned).toEqual({
    ...existing,
    type: "module",
    scripts: { dev: "own", test: "vitest", build: "signalbox build", start: "signalbox start" },
    dependencies: { ...existing.dependencies, provider: "^3.0.0" },
    devDependencies: { typescript: "^6.0.0" },
    allowScripts: { native: true, other: false },
  });
  expect(Object.keys(planned).slice(0, 3)).toEqual(["name", "version", "main"]);
});

it("dependencies are listed, if there are any", () => {
  expect(
    dependenciesOf(JSON.stringify({ dependencies: { zod: "^4.0.0" }, devDependencies: { typescript: "^6.0.0" } })),
  ).toEqual(["zod"]);
  expect(dependenciesOf("{}")).toEqual([]);
});

it("the failing test of `npm init` is replaced by that of the example", () => {
  const placeholder = { test: 'echo "Error: no test specified" && exit 1' };
  const example = JSON.stringify({ scripts: { test: "node --test" } });
  const planned = planPackage({
    existing: JSON.stringify({ scripts: placeholder }),
    starter: example,
    projectDir: "/a",
  });
  expect(JSON.parse(planned)).toMatchObject({ scripts: { test: "node --test" } });
  const own = planPackage({
    existing: JSON.stringify({ scripts: { test: "vitest" } }),
    starter: example,
    projectDir: "/a",
  });
  expect(JSON.parse(own)).toMatchObject({ scripts: { test: "vitest" } });
});

it("an invalid package.json is not overwritten", () => {
  expect(() => planPackage({ existing: "{", starter, projectDir: "/x" })).toThrow("is invalid");
});

it.each([
  ["/a/my-hooks", "my-hooks"],
  ["/a/My Hooks!", "my-hooks"],
  ["/a/_.x", "x"],
  ["/a/日本", "signalbox-project"],
  ["/", "signalbox-project"],
])("the package in %s is named %s", (dir, name) => expect(packageName(dir)).toBe(name));

it("missing lines are added, and nothing else changes", () => {
  expect(mergeLines("dist\nnode_modules", "# made\nnode_modules\n.signalbox\n")).toBe(
    "dist\nnode_modules\n.signalbox\n",
  );
  expect(mergeLines("a\n", "a\n")).toBe("a\n");
});

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

it("--empty leaves out the example and its packages, and keeps what every project needs", async () => {
  const { project } = twoFolders();
  expect((await runFakeCli(["init", project, "--empty"])).exitCode).toBe(0);
  const files = readdirSync(project, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).sort()).toEqual([
    ".dockerignore",
    ".gitignore",
    "AGENTS.md",
    "Dockerfile",
    "compose.yaml",
    "package.json",
    "signalbox.config.ts",
    "signalbox.yml",
    "tsconfig.json",
  ]);
  expect(dependenciesOf(readFileSync(join(project, "package.json"), "utf8")).sort()).toEqual(["signalbox", "zod"]);
});

it("writes notes for coding agents that name the pages of the documentation, and keeps existing ones", async () => {
  const { project } = twoFolders();
  await runFakeCli(["init", project]);
  const file = join(project, "AGENTS.md");
  const docs = join(import.meta.dirname, "../../../docs");
  const pages = [...readFileSync(file, "utf8").matchAll(/`([a-z-]+\.md)`/g)].map(([, page = ""]) => page);
  expect(pages.length).toBeGreaterThan(8);
  for (const page of pages) expect(readdirSync(docs), page).toContain(page);
  writeFileSync(file, "# Mine\n");
  expect((await runFakeCli(["init", project, "--force"])).exitCode).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("# Mine\n");
});

it("the workflow of GitHub runs commands that exist, and an existing one is kept", async () => {
  const { project } = twoFolders();
  await runFakeCli(["init", project]);
  const file = join(project, ".github/workflows/signalbox.yml");
  const commands = [...readFileSync(file, "utf8").matchAll(/run: npx signalbox (.*)$/gm)].map(([, line = ""]) => line);
  expect(commands).toEqual(["build --check-types", "triggers test --since 7d --fail-on-change"]);
  for (const command of commands) {
    const words = command.split(" ").filter((word) => /^[a-z]+$/.test(word));
    const { stdout } = await runFakeCli([...words, "--help"]);
    for (const [flag] of command.matchAll(/--[a-z-]+/g)) expect(stdout).toContain(flag);
  }
  writeFileSync(file, "name: Mine\n");
  expect((await runFakeCli(["init", project, "--force"])).exitCode).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("name: Mine\n");
});
