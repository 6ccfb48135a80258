import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { packageRoot } from "../../../server/paths.ts";
import { buildProject } from "../build-project.ts";
import { makeProject, smallProject, writeFiles } from "../testing/make-project.ts";
import { createStandby } from "./standby.ts";

/** Code that adds a line with the id of its process to a file. */
const report = (event: string, log: string) =>
  `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(log)}, ${JSON.stringify(event)} + " " + process.pid + "\\n");\n`;

/** A project whose workflow imports a package, `parts`. */
function setUp({ packageCode }: { packageCode?: string } = {}) {
  const projectDir = makeProject(smallProject);
  const log = join(projectDir, "..", "log.txt");
  rmSync(join(projectDir, "node_modules"));
  mkdirSync(join(projectDir, "node_modules"));
  symlinkSync(join(packageRoot, "node_modules/zod"), join(projectDir, "node_modules/zod"), "dir");
  writeFiles(projectDir, {
    "package.json": '{ "type": "module" }',
    "node_modules/parts/package.json": '{ "name": "parts", "type": "module", "exports": "./index.js" }',
    "node_modules/parts/index.js": report("package", log) + (packageCode ?? ""),
    "lib/send.ts": `${report("project", log)}import "parts";\nexport const send = (order: string) => order;\n`,
  });
  const standby = createStandby(projectDir);
  onTestFinished(() => standby.discard());
  const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  return {
    projectDir,
    standby,
    lines,
    build: () => buildProject({ projectDir, standby }),
    /** Builds, and waits until the process of the next build has loaded the package. */
    async buildFirst() {
      const built = await buildProject({ projectDir, standby });
      if (!built.ok) throw new Error(JSON.stringify(built.diagnostics));
      const before = lines().length;
      standby.prepare(built.packages);
      await vi.waitFor(() => expect(lines().length).toBeGreaterThan(before), 60_000);
      return built;
    },
  };
}

const linesOf = (lines: readonly string[], event: string) => lines.filter((line) => line.startsWith(event));
const pids = (lines: readonly string[]) => lines.map((line) => line.split(" ")[1]);

test("a build finds its packages loaded, in a process that has not run the project's code before", async () => {
  const { build, buildFirst, lines, standby } = setUp();
  const { packages } = await buildFirst();
  expect(packages).toEqual(expect.arrayContaining(["zod", "parts"]));
  const before = lines().length;
  expect(await build()).toMatchObject({ ok: true });
  // Only the project's own code ran in the build.
  expect(linesOf(lines().slice(before), "package")).toEqual([]);
  const [first, second] = pids(linesOf(lines(), "project"));
  expect(second).toBe(pids(linesOf(lines(), "package"))[1]);
  expect(second).not.toBe(first);

  standby.prepare(packages);
  expect(await build()).toMatchObject({ ok: true });
  expect(new Set(pids(linesOf(lines(), "project"))).size).toBe(3);
});

test("a failed bundle leaves the prepared process for the next build", async () => {
  const { build, buildFirst, lines, projectDir } = setUp();
  await buildFirst();
  const workflow = join(projectDir, "workflows/receipt.ts");
  writeFileSync(workflow, "export default {");
  expect(await build()).toMatchObject({ ok: false, diagnostics: [{ code: "syntax_error" }] });
  writeFileSync(workflow, smallProject["workflows/receipt.ts"]);
  const before = lines().length;
  expect(await build()).toMatchObject({ ok: true });
  expect(linesOf(lines().slice(before), "package")).toEqual([]);
});

test("a package that needs code of an earlier file is no error, although it was loaded first", async () => {
  const { build, buildFirst, lines, projectDir } = setUp({
    packageCode: 'if (globalThis.flag !== "set") throw new Error("the flag is missing");\n',
  });
  const first = smallProject["workflows/receipt.ts"]
    .replace('"receipt"', '"audit"')
    .replace("../lib/send", "../lib/flag");
  writeFiles(projectDir, {
    "workflows/audit.ts": first,
    "lib/flag.ts": 'Object.assign(globalThis, { flag: "set" });\nexport const send = String;\n',
  });
  await buildFirst();
  const before = lines().length;
  expect(await build()).toMatchObject({ ok: true });
  // It failed in the prepared process, and was loaded in a new one.
  expect(linesOf(lines().slice(before), "package")).toHaveLength(1);
});

test("an error of the project is reported as by a build without a prepared process", async () => {
  const { build, buildFirst, projectDir } = setUp();
  await buildFirst();
  writeFiles(projectDir, { "lib/send.ts": 'throw new Error("no connection");\nexport const send = String;\n' });
  const found = await build();
  expect(found).toMatchObject({ ok: false });
  expect(found).toEqual(await buildProject({ projectDir }));
  expect(JSON.stringify(found)).toContain("no connection");
});

test("after an installation of packages, a build takes a new process", async () => {
  const { build, buildFirst, lines, projectDir } = setUp();
  await buildFirst();
  const before = lines().length;
  // As npm does at the end of each installation.
  writeFiles(projectDir, { "node_modules/.package-lock.json": "{}" });
  expect(await build()).toMatchObject({ ok: true });
  expect(linesOf(lines().slice(before), "package")).toHaveLength(1);
});

test("a prepared process that has ended is replaced", async () => {
  const { build, buildFirst, lines } = setUp();
  await buildFirst();
  const prepared = Number(pids(linesOf(lines(), "package")).at(-1));
  process.kill(prepared, "SIGKILL");
  await vi.waitFor(() => expect(() => process.kill(prepared, 0)).toThrow("ESRCH"), 60_000);
  expect(await build()).toMatchObject({ ok: true });
});
