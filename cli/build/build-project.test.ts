import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { Manifest } from "../../server/contract/project/manifest.ts";
import { packageRoot } from "../../server/paths.ts";
import { readManifest } from "../../server/project/read-manifest.ts";
import { buildProject } from "./build-project.ts";
import { diagnosticCodes } from "./diagnostics/diagnostic-codes.ts";
import { renderDiagnostics } from "./diagnostics/diagnostic.ts";
import { stateFolderFailure } from "./state-folder.ts";
import { copyGolden, makeProject, smallProject, writeFiles } from "./testing/make-project.ts";

async function buildManifest(projectDir: string): Promise<Manifest> {
  const result = await buildProject({ projectDir });
  if (!result.ok) throw new Error(renderDiagnostics(result.diagnostics, { color: false }));
  return result.manifest;
}

/** Without the manifest, which has the time and the name of the folder. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path !== "manifest.json" && statSync(join(folder, path)).isFile())
    .sort();
}

function textOf(folder: string): string {
  return filesBelow(folder)
    .map((path) => readFileSync(join(folder, path), "utf8"))
    .join("\n");
}

describe("the version of a build", () => {
  test("is the same for the same project in two folders, and so is every byte of its code", async () => {
    const [here, there] = [makeProject(smallProject, "here"), makeProject(smallProject, "there")];
    const [first, second] = [await buildManifest(here), await buildManifest(there)];
    expect(second.version).toBe(first.version);
    expect(first.version).toMatch(/^[0-9a-f]{12}$/);
    const [left, right] = [join(here, ".signalbox", first.folder), join(there, ".signalbox", second.folder)];
    expect(filesBelow(right)).toEqual(filesBelow(left));
    expect(textOf(right)).toBe(textOf(left));
  });

  test("contains no path of the machine", async () => {
    const projectDir = makeProject(smallProject);
    const manifest = await buildManifest(projectDir);
    const text = textOf(join(projectDir, ".signalbox", manifest.folder));
    expect(text).toContain("workflows/receipt.ts");
    expect(text).not.toContain(projectDir);
    expect(text).not.toContain(packageRoot);
  });

  test("changes with a workflow's code, and comes back with it", async () => {
    const projectDir = makeProject(smallProject);
    const before = await buildManifest(projectDir);
    writeFiles(projectDir, { "lib/send.ts": "export const send = (order: string): string => order;\n" });
    const changed = await buildManifest(projectDir);
    writeFiles(projectDir, smallProject);
    const after = await buildManifest(projectDir);
    expect(changed.version).not.toBe(before.version);
    expect(after.version).toBe(before.version);
  });
});

describe("the sources bundle", () => {
  test("contains no workflow code, none of its imports and none of its side effects", async () => {
    const projectDir = copyGolden("good-layout");
    const manifest = await buildManifest(projectDir);
    const folder = join(projectDir, ".signalbox", manifest.folder);
    const [sources, code] = [readFileSync(join(folder, manifest.sources), "utf8"), textOf(join(folder, "code"))];
    for (const marker of ["WORKFLOW CODE", "SIDE EFFECT OF A WORKFLOW", "node:crypto", "createHash"]) {
      expect(code).toContain(marker);
      expect(textOf(folder).replace(code, "")).not.toContain(marker);
    }
    expect(sources).toContain('"plain"');
    await import(/* @vite-ignore */ pathToFileURL(join(folder, manifest.sources)).href);
    expect(globalThis).not.toHaveProperty("marker");
  });
});

describe("the state folder", () => {
  test("is ignored by Git", async () => {
    const projectDir = makeProject(smallProject);
    await buildManifest(projectDir);
    expect(readFileSync(join(projectDir, ".signalbox/.gitignore"), "utf8")).toBe("*\n");
  });

  test("keeps the last successful build current when a build fails, and removes the draft", async () => {
    const projectDir = makeProject(smallProject);
    const good = await buildManifest(projectDir);
    writeFiles(projectDir, { "workflows/receipt.ts": "export default null;\n" });
    expect((await buildProject({ projectDir })).ok).toBe(false);
    expect(await readManifest(join(projectDir, ".signalbox"))).toEqual(good);
    expect(readdirSync(join(projectDir, ".signalbox/builds"))).toEqual([good.version]);
  });

  test("keeps the current build, the five newest others, and no old drafts", async () => {
    const projectDir = makeProject(smallProject);
    const builds = join(projectDir, ".signalbox/builds");
    for (const age of [1, 2, 3, 4, 5, 6]) {
      mkdirSync(join(builds, `old${age}`), { recursive: true });
      utimesSync(join(builds, `old${age}`), new Date(2020, 0, 10 - age), new Date(2020, 0, 10 - age));
    }
    mkdirSync(join(builds, ".draft-left"));
    utimesSync(join(builds, ".draft-left"), new Date(2020, 0, 1), new Date(2020, 0, 1));
    const { version } = await buildManifest(projectDir);
    expect(readdirSync(builds).sort()).toEqual([version, "old1", "old2", "old3", "old4", "old5"].sort());
  });

  test("removes no build that open runs need, and none if they are unknown", async () => {
    const projectDir = makeProject(smallProject);
    const builds = join(projectDir, ".signalbox/builds");
    const old = ["old1", "old2", "old3", "old4", "old5", "old6", "old7"];
    for (const [age, name] of old.entries()) {
      mkdirSync(join(builds, name), { recursive: true });
      utimesSync(join(builds, name), new Date(2020, 0, 10 - age), new Date(2020, 0, 10 - age));
    }
    const buildWith = async (needed: ReadonlySet<string> | null) => {
      const result = await buildProject({ projectDir, beforeCurrent: async () => needed });
      return result.ok ? readdirSync(builds).filter((name) => name !== result.manifest.version) : null;
    };
    expect((await buildWith(null))?.sort()).toEqual(old);
    expect((await buildWith(new Set(["old7"])))?.sort()).toEqual(["old1", "old2", "old3", "old4", "old5", "old7"]);
  });

  test("stays on the last build if a check of the new one fails", async () => {
    const projectDir = makeProject(smallProject);
    const { version } = await buildManifest(projectDir);
    writeFiles(projectDir, { "lib/send.ts": "export const send = () => 'changed';" });
    const rejected = new Error("open runs do not fit");
    const folder = join(projectDir, ".signalbox/builds");
    const before = readdirSync(folder);
    const beforeCurrent = async (manifest: Manifest) => {
      // Its code can be loaded, to compare open runs with it.
      expect(readdirSync(folder)).toContain(manifest.version);
      throw rejected;
    };
    await expect(buildProject({ projectDir, beforeCurrent })).rejects.toBe(rejected);
    expect(readdirSync(folder)).toEqual(before);
    expect(await readManifest(join(projectDir, ".signalbox"))).toMatchObject({ version });
  });

  test("finds the variable of a secret if it is the only option of verify", async () => {
    const known = [["stripe", "STRIPE_SECRET_OF_A_TEST"]];
    expect(await verifyWith("stripe({ secret: process.env.STRIPE_SECRET_OF_A_TEST })")).toEqual(known);
    expect(await verifyWith("stripe({\n  secret: process.env['STRIPE_SECRET_OF_A_TEST'],\n})")).toEqual(known);
    const shared = "const shared = stripe({ secret: process.env.STRIPE_SECRET_OF_A_TEST });\n";
    expect(await verifyWith("shared", shared)).toEqual(known);
    for (const verify of [
      "stripe({ secret: process.env.STRIPE_SECRET_OF_A_TEST, tolerance: '1m' })",
      "stripe({ secret: 'a literal of a test project' })",
    ])
      expect(await verifyWith(verify)).toEqual([["stripe", undefined]]);
  });

  test("repairs a damaged build of the same version", async () => {
    const projectDir = makeProject(smallProject);
    const manifest = await buildManifest(projectDir);
    const file = join(projectDir, ".signalbox", manifest.folder, manifest.sources);
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, "half");
    await buildManifest(projectDir);
    expect(readFileSync(file, "utf8")).toBe(whole);
  });

  test("is intact for readers while several builds run concurrently", async () => {
    const projectDir = makeProject(smallProject);
    const stateDir = join(projectDir, ".signalbox");
    await buildManifest(projectDir);
    const state = { isBuilding: true };
    const reading = readWhile(stateDir, state);
    const results = await Promise.all(
      [1, 2, 1].map((number) => {
        writeFiles(projectDir, {
          "lib/send.ts": `export const send = (order: string): string => order + ${number};\n`,
        });
        return buildProject({ projectDir });
      }),
    );
    state.isBuilding = false;
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(await reading).toBeGreaterThan(10);
    expect(readdirSync(stateDir).sort()).toEqual([".gitignore", "builds", "manifest.json"]);
    expect(readdirSync(join(stateDir, "builds")).filter((name) => name.startsWith("."))).toEqual([]);
  });
});

/** Counts reads of an intact current build; throws when it is not intact. */
async function readWhile(stateDir: string, state: { isBuilding: boolean }): Promise<number> {
  let reads = 0;
  while (state.isBuilding) {
    const manifest = await readManifest(stateDir);
    if (!existsSync(join(stateDir, manifest?.folder ?? "none", manifest?.sources ?? "none")))
      throw new Error("the current build does not exist");
    reads++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return reads;
}

describe("buildProject", () => {
  test("throws the signal's reason when it is aborted, and leaves no draft", async () => {
    const projectDir = makeProject({ ...smallProject, "workflows/slow.ts": "await new Promise(() => {});\n" });
    const controller = new AbortController();
    const building = buildProject({ projectDir, signal: controller.signal });
    const reason = new Error("changed again");
    setImmediate(() => controller.abort(reason));
    await expect(building).rejects.toBe(reason);
    expect(readdirSync(join(projectDir, ".signalbox/builds"))).toEqual([]);
  });

  test("reports no_triggers for a missing folder", async () => {
    const projectDir = makeProject();
    rmSync(projectDir, { recursive: true });
    expect(await buildProject({ projectDir })).toMatchObject({ ok: false, diagnostics: [{ code: "no_triggers" }] });
  });

  test("builds a project without triggers with a warning if that is allowed, but not an empty folder", async () => {
    const projectDir = makeProject({ "package.json": "{}" });
    expect(await buildProject({ projectDir, mayLackTriggers: true })).toMatchObject({
      ok: true,
      manifest: { triggers: [] },
      warnings: [{ code: "no_triggers", severity: "warning" }],
    });
    expect(await buildProject({ projectDir })).toMatchObject({ ok: false, diagnostics: [{ code: "no_triggers" }] });
    expect(await buildProject({ projectDir: makeProject({}), mayLackTriggers: true })).toMatchObject({
      ok: false,
      diagnostics: [{ code: "no_triggers" }],
    });
  });

  test("reports why .signalbox cannot be written", async () => {
    const projectDir = makeProject({ ...smallProject, ".signalbox": "a file" });
    await expect(buildProject({ projectDir })).rejects.toMatchObject({
      name: "Failure",
      message: `${join(projectDir, ".signalbox")} cannot be written (EEXIST).`,
      details: { fix: expect.stringContaining("Remove the file") },
    });
  });

  test.for([
    ["EACCES", "/p/.signalbox/builds/x", "write permission"],
    ["EROFS", "/p/.signalbox", "write permission"],
    ["ENOSPC", undefined, "Free some space"],
    ["EACCES", "/p/triggers", null],
    ["ENOENT", "/p/.signalbox/builds", null],
  ] as const)("classifies %s of %s as an unwritable state folder, or not", ([code, path, fix]) => {
    const failure = stateFolderFailure(Object.assign(new Error("no"), { code, path }), "/p");
    expect(failure?.details.fix?.includes(fix ?? "")).toBe(fix === null ? undefined : true);
  });

  test("builds a project whose path has spaces and URL characters", async () => {
    const projectDir = makeProject({}, "my hooks #1 100%");
    writeFiles(projectDir, smallProject);
    await buildManifest(projectDir);
    writeFiles(projectDir, { "workflows/receipt.ts": "\n\nthrow new Error('here');\n" });
    expect(await buildProject({ projectDir })).toMatchObject({
      ok: false,
      diagnostics: [{ file: "workflows/receipt.ts", line: 3 }],
    });
  });

  test("builds a project behind a symbolic link", async () => {
    const projectDir = makeProject(smallProject);
    const link = join(projectDir, "..", "link");
    symlinkSync(projectDir, link, "dir");
    expect((await buildManifest(link)).version).toBe((await buildManifest(projectDir)).version);
  });

  test("rejects a regular expression that could not be checked, until the settings name it", async () => {
    const source = smallProject["triggers/paid.ts"].replace(
      "id: z.string()",
      "id: z.string().regex(/^[\\p{L}--[a-z]]+$/v)",
    );
    const result = await buildProject({ projectDir: makeProject({ ...smallProject, "triggers/paid.ts": source }) });
    expect(result).toMatchObject({
      ok: false,
      diagnostics: [{ code: "schema_unchecked_regex", severity: "error", file: "triggers/paid.ts", line: 8 }],
    });
    const fix = result.ok ? "" : (result.diagnostics[0]?.fix ?? "");
    const setting = /uncheckedRegexes: \[.+\]/.exec(fix)?.[0] ?? "";
    const settings = `export default { ${setting} };`;
    expect(
      await buildProject({
        projectDir: makeProject({ ...smallProject, "triggers/paid.ts": source, "signalbox.config.ts": settings }),
      }),
    ).toMatchObject({ ok: true, warnings: [] });
  });
});

test("docs/build.md lists every diagnostic", () => {
  const page = readFileSync(join(packageRoot, "docs/build.md"), "utf8");
  const missing = Object.keys(diagnosticCodes).filter((code) => !page.includes(`\`${code}\``));
  expect(missing).toEqual([]);
});

/** The scheme and the secret of a trigger whose source has this `verify`. */
async function verifyWith(verify: string, source = "") {
  const projectDir = makeProject(smallProject);
  writeFiles(projectDir, {
    "triggers/paid.ts": smallProject["triggers/paid.ts"].replace(
      /(import [^;]+;\n)([^]*?)(\brequest:)/,
      `$1import { stripe } from "signalbox/verify";\n${source}$2verify: ${verify}, $3`,
    ),
  });
  return (await buildManifest(projectDir)).triggers.map(({ verify: scheme, secretVariable }) => [
    scheme,
    secretVariable,
  ]);
}
