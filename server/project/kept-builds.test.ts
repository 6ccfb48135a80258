import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildProject } from "../../cli/build/build-project.ts";
import { makeProject, smallProject, writeFiles } from "../../cli/build/testing/make-project.ts";
import { silentLogger } from "../ports/logger.ts";
import { createBuilds } from "./kept-builds.ts";
import { loadBuilds } from "./load-code.ts";
import { readManifest } from "./read-manifest.ts";

async function build(projectDir: string) {
  const result = await buildProject({ projectDir });
  if (!result.ok) throw new Error("the project does not build");
  return result.manifest;
}

/** A project with two builds, whose workflows differ. */
async function twoBuilds() {
  const projectDir = makeProject(smallProject);
  const stateDir = join(projectDir, ".signalbox");
  const first = await build(projectDir);
  const workflow = smallProject["workflows/receipt.ts"]
    .replace("order: z.string()", "order: z.string(), email: z.email()")
    .replace("send(order)", "`mailed ${order}`");
  writeFiles(projectDir, {
    "workflows/receipt.ts": workflow,
    "triggers/paid.ts": smallProject["triggers/paid.ts"].replace(
      "order: payload.id",
      'order: payload.id, email: "a@b.ch"',
    ),
  });
  const second = await build(projectDir);
  return { stateDir, first, second, builds: createBuilds(stateDir) };
}

const codeOf = async (stateDir: string) => {
  const current = await readManifest(stateDir);
  if (!current) throw new Error("not built");
  return loadBuilds({ stateDir, current, logger: silentLogger });
};

test("the builds of a machine are listed, the current one first", async () => {
  const { first, second, builds } = await twoBuilds();
  expect(await builds.list()).toEqual([
    { id: second.version, builtAt: second.builtAt, isCurrent: true },
    { id: first.version, builtAt: first.builtAt, isCurrent: false },
  ]);
  expect(await builds.read(first.version)).toEqual(first);
});

test("a rollback makes the older build current, with its settings, and a rebuild the newer one again", async () => {
  const { stateDir, first, second, builds } = await twoBuilds();
  await builds.makeCurrent(first.version);
  expect(await readManifest(stateDir)).toEqual(first);
  expect((await builds.list()).map(({ id, isCurrent }) => [id, isCurrent])).toEqual([
    [second.version, false],
    [first.version, true],
  ]);
});

test.each(["", ".", "..", "../builds", "none"])("a build is never read from outside of its folder: %j", async (id) => {
  const { stateDir, builds } = await twoBuilds();
  const before = readFileSync(join(stateDir, "manifest.json"), "utf8");
  expect(await builds.read(id)).toBeNull();
  await expect(builds.makeCurrent(id)).rejects.toThrow("There is no build");
  expect(readFileSync(join(stateDir, "manifest.json"), "utf8")).toBe(before);
});

test("a build that cannot be loaded does not become current", async () => {
  const { stateDir, first, second, builds } = await twoBuilds();
  writeFileSync(join(stateDir, first.folder, first.sources), "throw new Error('damaged');\n");
  await expect(builds.makeCurrent(first.version)).rejects.toThrow("Cannot load the built project: damaged.");
  expect((await readManifest(stateDir))?.version).toBe(second.version);
});

test("a worker executes a run by the build that accepted it, beside the current one", async () => {
  const { stateDir, first, second } = await twoBuilds();
  const code = await codeOf(stateDir);
  const old = code({ build: { acceptedBy: first.version, version: first.version } });
  const current = code({});
  expect([old.manifest.version, current.manifest.version]).toEqual([first.version, second.version]);
  const input = { order: "a" };
  expect((await old.workflow("receipt"))?.input.safeParse(input).success).toBe(true);
  expect((await current.workflow("receipt"))?.input.safeParse(input).success).toBe(false);
  expect((await old.workflow("receipt"))?.run(input, {})).toBe("sent a");
  expect((await current.workflow("receipt"))?.run(input, {})).toBe("mailed a");
  expect(code({ build: { acceptedBy: first.version, version: first.version } })).toBe(old);
});

test("a worker executes a run by the current build, which says so, if its build was deleted", async () => {
  const { stateDir, first, second } = await twoBuilds();
  const code = await codeOf(stateDir);
  const run = { build: { acceptedBy: first.version, version: first.version } };
  expect(code(run).replaces).toBeUndefined();
  rmSync(join(stateDir, first.folder), { recursive: true });
  expect(code(run)).toMatchObject({ replaces: first.version, manifest: { version: second.version } });
  expect(code({ build: { acceptedBy: first.version, version: second.version } }).replaces).toBe(first.version);
  expect(code({}).replaces).toBeUndefined();
});
