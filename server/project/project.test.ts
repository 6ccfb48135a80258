import { execFile } from "node:child_process";
import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { buildProject } from "../../cli/build/build-project.ts";
import { renderDiagnostics } from "../../cli/build/diagnostics/diagnostic.ts";
import { makeProject, smallProject, writeFiles } from "../../cli/build/testing/make-project.ts";
import { loadCode } from "./load-code.ts";
import { createProjectReader, loadSources } from "./project-reader.ts";
import { readManifest } from "./read-manifest.ts";

async function build(projectDir: string): Promise<void> {
  const result = await buildProject({ projectDir });
  if (!result.ok) throw new Error(renderDiagnostics(result.diagnostics, { color: false }));
}

async function builtProject(name = "hooks") {
  const projectDir = makeProject(smallProject, name);
  await build(projectDir);
  const stateDir = join(projectDir, ".signalbox");
  const manifest = await readManifest(stateDir);
  if (!manifest) throw new Error("not built");
  return { projectDir, stateDir, manifest };
}

/** Mapped stacks of a workflow and of a transform that throw. */
async function runStacks(
  projectDir: string,
  flags: readonly string[],
): Promise<{ fromRun: string; fromTransform: string; built: string }> {
  const script = `
    import { loadCode } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "load-code.ts")).href)};
    import { readManifest } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "read-manifest.ts")).href)};
    const stateDir = ${JSON.stringify(join(projectDir, ".signalbox"))};
    const code = loadCode(stateDir, await readManifest(stateDir));
    const stackOf = async (act) => { try { await act(); } catch (error) { return code.mapStack(error.stack); } };
    const built = await (async () => { try { await (await code.workflow("receipt")).run({ order: "lost" }, {}); } catch (error) { return error.stack; } })();
    const fromRun = await stackOf(async () => (await code.workflow("receipt")).run({ order: "lost" }, {}));
    const fromTransform = await stackOf(async () => (await code.trigger("paid:receipt")).transform({ id: "bad", cents: 1 }));
    console.log(JSON.stringify({ fromRun, fromTransform, built }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, "--input-type=module", "-e", script]);
  return JSON.parse(stdout);
}

describe("readManifest", () => {
  test("is null for a project that was never built", async () => {
    expect(await readManifest(join(makeProject(), ".signalbox"))).toBeNull();
  });

  test.for([
    ["half of a file", (text: string) => text.slice(0, text.length / 2)],
    ["another format", (text: string) => text.replace('"format": 1', '"format": 2')],
    ["something else", () => "[]"],
  ] as const)("says to build again for %s", async ([, damage]) => {
    const { stateDir } = await builtProject();
    const file = join(stateDir, "manifest.json");
    writeFileSync(file, damage(readFileSync(file, "utf8")));
    await expect(readManifest(stateDir)).rejects.toThrow(
      /manifest\.json is damaged, or was written by another version of Signalbox\. Run `signalbox build`\.$/,
    );
  });
});

test("a source without a target, also a typed one, is loaded by the receiver and by workers", async () => {
  const projectDir = makeProject({
    ...smallProject,
    "triggers/shipped.ts": `import { defineWebhookSource } from "signalbox/trigger";
      import { z } from "zod";
      export default defineWebhookSource({ slug: "shipped", endpoint: "shipped", request: z.object({ id: z.string() }) });`,
    "triggers/closed.ts": `import { github } from "signalbox/sources/github";
      export default github.on("issues.closed", { slug: "closed", endpoint: "github", pick: ["issue.number"] });`,
  });
  await build(projectDir);
  const stateDir = join(projectDir, ".signalbox");
  const { manifest, byEndpoint } = (await createProjectReader(stateDir)).current();
  expect(
    manifest.triggers.map(({ attachmentId, target, selectsEvent }) => [attachmentId, target?.slug, selectsEvent]),
  ).toEqual([
    ["closed", undefined, true],
    ["paid:receipt", "receipt", undefined],
    ["shipped", undefined, undefined],
  ]);
  expect(byEndpoint.get("github")?.[0]).toMatchObject({ attachmentId: "closed", target: null });
  const loaded = await loadCode(stateDir, manifest).trigger("shipped");
  expect(loaded).toMatchObject({ transform: null, prompt: null });
  expect(loaded?.request.safeParse({ id: 1 }).success).toBe(false);
});

describe("createProjectReader", () => {
  test("gives the triggers by endpoint, with schemas that parse", async () => {
    const { stateDir } = await builtProject();
    const reader = await createProjectReader(stateDir);
    const [trigger] = reader.current().byEndpoint.get("billing") ?? [];
    expect(trigger).toMatchObject({
      slug: "paid",
      attachmentId: "paid:receipt",
      target: { kind: "workflow", slug: "receipt" },
    });
    expect(trigger?.request.safeParse({ id: "a", cents: 5, more: true })).toMatchObject({
      success: true,
      data: { id: "a", cents: 5 },
    });
    expect(trigger?.filter?.safeParse({ cents: 0 }).success).toBe(false);
  });

  test("says to build a project that is not built", async () => {
    await expect(createProjectReader(join(makeProject(), ".signalbox"))).rejects.toThrow(
      /^The project is not built: .* Run `signalbox build`\.$/,
    );
  });

  test("takes the new project on reload, and keeps the old one where the new one cannot be loaded", async () => {
    const { projectDir, stateDir } = await builtProject();
    const reader = await createProjectReader(stateDir);
    const first = reader.current();
    writeFiles(projectDir, {
      "triggers/paid.ts": smallProject["triggers/paid.ts"].replace('"billing"', '"billing/new"'),
    });
    await build(projectDir);
    await reader.reload();
    expect([...reader.current().byEndpoint.keys()]).toEqual(["billing/new"]);
    expect([...first.byEndpoint.keys()]).toEqual(["billing"]);

    const second = reader.current();
    writeFileSync(join(stateDir, "manifest.json"), "{");
    await expect(reader.reload()).rejects.toThrow("Run `signalbox build`.");
    expect(reader.current()).toBe(second);
  });

  test("says to build again where the sources do not fit the manifest", async () => {
    const { stateDir, manifest } = await builtProject();
    const changed = { ...manifest, triggers: [...manifest.triggers, ...manifest.triggers] };
    await expect(loadSources(stateDir, changed)).rejects.toThrow(
      "does not contain the trigger paid:receipt of the manifest. Run `signalbox build`.",
    );
  });

  test("says to build again where an older version built how signatures are checked", async () => {
    const source = `import { github } from "signalbox/verify";\n${smallProject["triggers/paid.ts"].replace("request:", 'verify: github({ secret: "0123456789abcdef" }), request:')}`;
    const projectDir = makeProject({ ...smallProject, "triggers/paid.ts": source });
    await build(projectDir);
    const stateDir = join(projectDir, ".signalbox");
    const manifest = await readManifest(stateDir);
    if (!manifest) throw new Error("not built");
    expect((await loadSources(stateDir, manifest)).triggers[0]?.verify?.scheme).toBe("github");
    const other = { ...manifest, folder: `${manifest.folder}-old` };
    cpSync(join(stateDir, manifest.folder), join(stateDir, other.folder), { recursive: true });
    writeFileSync(
      join(stateDir, other.folder, manifest.sources),
      readFileSync(join(stateDir, manifest.folder, manifest.sources), "utf8").replaceAll("greet:", "greetNobody:"),
    );
    await expect(loadSources(stateDir, other)).rejects.toThrow(
      "triggers/paid.ts › verify was built by an older version of Signalbox. Run `signalbox build`.",
    );
  });

  test("says to build again where the sources cannot be loaded", async () => {
    const { stateDir, manifest } = await builtProject();
    appendFileSync(join(stateDir, manifest.folder, manifest.sources), "\nthrow new Error('damaged');\n");
    await expect(loadSources(stateDir, manifest)).rejects.toThrow(
      "Cannot load the built project: damaged. Run `signalbox build`.",
    );
  });

  test("says to install the packages where one is missing", async () => {
    const { stateDir, manifest } = await builtProject();
    appendFileSync(join(stateDir, manifest.folder, manifest.sources), '\nimport "not-installed";\n');
    await expect(loadSources(stateDir, manifest)).rejects.toThrow(
      /^Cannot load the built project: Cannot find package 'not-installed' .*\. Install the packages of the project with `npm install`\.$/,
    );
  });
});

describe("loadCode", () => {
  test("gives workflows and transforms that run, and null for what is not in the build", async () => {
    const { stateDir, manifest } = await builtProject();
    const code = loadCode(stateDir, manifest);
    const workflow = await code.workflow("receipt");
    expect(workflow?.input.safeParse({ order: "a" })).toMatchObject({ success: true });
    expect(workflow?.output).toBeNull();
    expect(workflow?.run({ order: "a" }, {})).toBe("sent a");
    expect((await code.trigger("paid:receipt"))?.transform?.({ id: "a", cents: 1 }, {})).toEqual({ order: "a" });
    expect(await code.workflow("other")).toBeNull();
    expect(await code.trigger("paid:other")).toBeNull();
  });

  test("names the headers in which a verification reads the signature", async () => {
    const projectDir = makeProject({
      ...smallProject,
      "triggers/board.ts": `
        import { defineWebhookSource } from "signalbox/trigger";
        import { hmac } from "signalbox/verify";
        import { z } from "zod";
        import receipt from "../workflows/receipt";
        export default defineWebhookSource({
          slug: "board",
          endpoint: "board",
          request: z.object({ order: z.string() }),
          verify: hmac({ secret: "0123456789abcdef", header: "X-Board-Webhook" }),
        }).attach({ workflow: receipt });`,
    });
    await build(projectDir);
    const stateDir = join(projectDir, ".signalbox");
    const manifest = await readManifest(stateDir);
    if (!manifest) throw new Error("not built");
    const code = loadCode(stateDir, manifest);
    expect((await code.trigger("board:receipt"))?.proofHeaders).toEqual(["x-board-webhook"]);
    expect((await code.trigger("paid:receipt"))?.proofHeaders).toEqual([]);
  });

  // In a process of its own, as workers are: this one maps stacks by itself.
  test.for([
    ["as they are", []],
    ["that Node has mapped itself", ["--enable-source-maps"]],
  ] as const)("maps stacks %s to the user's own files and lines", async ([, flags]) => {
    const { projectDir } = await builtProject();
    const stacks = await runStacks(projectDir, flags);
    expect(stacks.fromRun.split("\n").slice(0, 3)).toEqual([
      "Error: the mail server is gone",
      expect.stringMatching(/^ {4}at send \(lib\/send\.ts:4:11\)$/),
      expect.stringMatching(/^ {4}at .*run \(workflows\/receipt\.ts:8:23\)$/),
    ]);
    expect(stacks.fromTransform).toMatch(/^Error: no such order\n {4}at .*transform \(triggers\/paid\.ts:13:37\)/);
    expect(stacks.fromRun).not.toContain(".signalbox");
  });

  test("shows the code that an error came from as built, even if the file has changed since", async () => {
    const { projectDir, stateDir, manifest } = await builtProject();
    writeFiles(projectDir, { "lib/send.ts": "// changed" });
    const { excerptOf } = loadCode(stateDir, manifest);
    const { built } = await runStacks(projectDir, []);
    const excerpt = excerptOf(built);
    expect(excerpt).toMatchObject({ file: "lib/send.ts", line: 4, column: 11 });
    expect(excerpt?.lines.find(({ number }) => number === 4)?.text).toContain("the mail server is gone");
  });

  test("shows no code of packages, nor of anything that is not the project's", async () => {
    const { stateDir, manifest } = await builtProject();
    const { excerptOf } = loadCode(stateDir, manifest);
    const folder = pathToFileURL(join(stateDir, manifest.folder)).href;
    const write = (name: string, source: string) =>
      writeFileSync(
        join(stateDir, manifest.folder, `${name}.js.map`),
        JSON.stringify({ version: 3, sources: [source], sourcesContent: ["call()"], names: [], mappings: "AAAA" }),
      );
    write("packaged", "../../../node_modules/other/index.js");
    write("sdk", "signalbox:workflow/index.ts");
    write("own", "../../../lib/own.ts");
    const frame = (name: string) => `    at f (${folder}/${name}.js:1:1)`;
    expect(excerptOf(["Error: x", frame("packaged"), frame("sdk")].join("\n"))).toBeNull();
    expect(excerptOf(["Error: x", frame("packaged"), frame("sdk"), frame("own")].join("\n"))).toEqual({
      file: "lib/own.ts",
      line: 1,
      column: 1,
      lines: [{ number: 1, text: "call()" }],
    });
    expect(excerptOf("Error: x\n    at g (file:///elsewhere/a.mjs:1:1)\n    at node:internal/process:1:2")).toBeNull();
  });

  test("maps stacks below a folder with parentheses, spaces and other letters in its name", async () => {
    const { projectDir } = await builtProject("hooks (copy 2) ü");
    const { fromRun, fromTransform } = await runStacks(projectDir, []);
    expect(fromRun).toContain("    at send (lib/send.ts:4:11)\n");
    expect(fromTransform).toMatch(/^Error: no such order\n {4}at .*transform \(triggers\/paid\.ts:13:37\)/);
  });

  test("loads a module when it is first asked for, not before", async () => {
    const { projectDir, stateDir } = await builtProject();
    writeFiles(projectDir, {
      "workflows/counted.ts":
        smallProject["workflows/receipt.ts"].replace('"receipt"', '"counted"') +
        "\nObject.assign(globalThis, { wasCounted: true });\n",
    });
    await build(projectDir);
    const manifest = await readManifest(stateDir);
    if (!manifest) throw new Error("not built");
    const code = loadCode(stateDir, manifest);
    await code.workflow("receipt");
    expect(globalThis).not.toHaveProperty("wasCounted");
    await code.workflow("counted");
    expect(globalThis).toHaveProperty("wasCounted", true);
  });

  test("leaves what it cannot map as it is", async () => {
    const { stateDir, manifest } = await builtProject();
    const { mapStack } = loadCode(stateDir, manifest);
    const stack =
      "Error: x\n    at f (node:internal/process:1:2)\n    at <anonymous>\n    at g (file:///elsewhere/a.mjs:1:1)";
    expect(mapStack(stack)).toBe(stack);
  });
});
