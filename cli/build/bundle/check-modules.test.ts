import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bundleDiagnostics, bundleWarnings } from "../diagnostics/bundle-diagnostics.ts";
import { createProjectFiles } from "../project-files.ts";
import { makeWorkspace } from "../testing/make-project.ts";
import { bundleCode } from "./bundle.ts";

/** The diagnostics of the bundle of `lib/a.ts`, or of another file that it imports, as `code file:line severity`. */
async function diagnose(files: Record<string, string>): Promise<string[]> {
  const projectDir = makeWorkspace(
    { ...packages, "workflows/a.ts": 'export * from "../lib/a";', "tsconfig.json": "{}", ...files },
    { "@acme/shared": "packages/shared" },
  );
  const bundle = await bundleCode({ projectDir, outDir: join(projectDir, "out"), files: ["workflows/a.ts"] });
  const known = createProjectFiles(projectDir);
  const found = bundle.ok ? bundleWarnings(bundle.warnings, known) : bundleDiagnostics(bundle.errors, known);
  return found.map(({ code, file, line, severity }) => `${severity}: ${code} at ${file}:${line}`);
}

const packages = {
  // lodash: Node finds no export
  "node_modules/tools/package.json": '{ "main": "index.js" }',
  "node_modules/tools/index.js": "const all = { map: 1 }; Object.assign(all, { reduce: 1 }); module.exports = all;",
  "node_modules/tools/fp.js": 'module.exports = require("./index.js");',
  // compiled TypeScript, in two files
  "node_modules/made/package.json": '{ "main": "index.js" }',
  "node_modules/made/index.js":
    'var __exportStar; Object.defineProperty(exports, "__esModule", { value: true }); exports.run = 1; __exportStar(require("./more"), exports);',
  "node_modules/made/more.js": 'Object.defineProperty(exports, "__esModule", { value: true }); exports.stop = 2;',
  "node_modules/modern/package.json": '{ "type": "module", "exports": "./index.js" }',
  "node_modules/modern/index.js": "export const map = 1;",
  "node_modules/detected/package.json": '{ "main": "index.js" }',
  "node_modules/detected/index.js": "export const map = 1;",
};

const namespaces: [use: string, line: number | null][] = [
  ['import * as _ from "tools";\nexport const run = () => _.map;', 2],
  ['import * as _ from "tools";\nexport const run = () => _["map"];', 2],
  ['import * as _ from "tools/fp";\nexport const run = () => _.map;', 2],
  ['import * as tools from "tools";\n\nexport const run = () => tools(1);', 3],
  ['import * as Tools from "tools";\n\nexport const run = () => new Tools();', 3],
  ['import * as _ from "tools";\nexport const run = () => { const { map } = _; return map; };', 2],
  ['import * as _ from "tools";\nexport const run = (name: string) => _[name];', 2],
  ['import * as _ from "tools";\nexport const run = () => JSON.stringify({ ..._ });', 2],
  ['import * as _ from "tools";\nexport const run = (use: any) => use(_);', 2],
  ['import * as _ from "tools";\nexport const run = () => _`text`;', 2],
  ['import * as made from "made";\nexport const run = () => made();', 2],
  ['import * as made from "made";\nexport const run = () => made.gone;', 2],
  ['import * as made from "made";\nexport const run = () => [made.run, made.stop, made];', null],
  ['import * as _ from "tools";\nexport const run = () => _.default.map;', null],
  ['import * as _ from "tools";\nexport const run = () => ((_ as any).default ?? _).map;', null],
  ['import * as _ from "tools";\nexport type Tools = typeof _;', null],
  ['import _ from "tools";\nexport const run = () => _.map;', null],
  ['import * as _ from "modern";\nexport const run = () => [_.map, _];', null],
  ['import * as _ from "detected";\nexport const run = () => [_.map, _];', null],
  ['import * as path from "path";\nexport const run = () => path.join("a");', null],
  ['export * from "made";', null],
  ['import _ = require("tools");\nexport const run = () => _.map;', null],
];

test.each(namespaces)(
  "a namespace import of a CommonJS package that fails at run time is an error: %s",
  async (code, line) => {
    expect(await diagnose({ "lib/a.ts": code })).toEqual(
      line === null ? [] : [`error: commonjs_namespace at lib/a.ts:${line}`],
    );
  },
);

const paths: [code: string, line: number | null][] = [
  ["export const run = () => __filename;", 1],
  ['import { join } from "node:path";\n\nexport const file = () => join(__dirname, "a.txt");', 3],
  ["const __dirname = process.cwd();\nexport const run = () => __dirname;", null],
  [
    'import { fileURLToPath } from "node:url";\nconst __filename = fileURLToPath(import.meta.url);\nexport { __filename };',
    null,
  ],
  ['export const here = typeof __dirname === "undefined" ? process.cwd() : __dirname;', null],
  ["export const run = (__dirname: string) => ({ __filename: __dirname });", null],
  ['export const text = "__filename";', null],
];

describe("__filename and __dirname are errors with their line, unless the code defines or checks them", () => {
  test.each(paths)("%s", async (code, line) => {
    expect(await diagnose({ "lib/a.ts": code })).toEqual(
      line === null ? [] : [`error: missing_module_path at lib/a.ts:${line}`],
    );
  });

  test.each([
    ["lib/b.cjs", '"../lib/b.cjs"'],
    ["lib/b.js", '"../lib/b"'],
    ["../packages/shared/index.cjs", '"@acme/shared"'],
  ])("in CommonJS: %s", async (file, from) => {
    const found = await diagnose({
      "lib/a.ts": `import b from ${from};\nexport const run = () => b;`,
      "../packages/shared/package.json": '{ "main": "index.cjs" }',
      [file]: '"use strict";\nexports.file = __filename;\n',
    });
    expect(found).toEqual([`error: missing_module_path at ${file}:2`]);
  });
});

const late: [code: string, expected: string[]][] = [
  ["export const run = (name: string) => import(name);", ["warning: unbundled_import at lib/a.ts:1"]],
  ['export const run = (name: string) => import("./" + name + ".ts");', []],
  ["\nexport const run = (name: string) => import(`./parts/${name}.ts`);", []],
  ["\nexport const run = (name: string) => import(`./none/${name}.ts`);", ["error: unresolved_import at lib/a.ts:2"]],
  ['export const run = () => import("./gone");', ["error: unresolved_import at lib/a.ts:1"]],
  ['export const run = () => import("./gone").catch(() => 1);', ["warning: unresolved_import at lib/a.ts:1"]],
  ['export const run = () => import("not-there");', ["error: unresolved_import at lib/a.ts:1"]],
  ['export const run = () => import("not-there").catch(() => 1);', []],
  [
    'export const run = () => import(new URL("./b.ts", import.meta.url).href);',
    ["warning: unbundled_import at lib/a.ts:1"],
  ],
  [
    "declare const require: any;\nexport const run = (name: string) => require(name);",
    ["warning: unbundled_import at lib/a.ts:2"],
  ],
  [
    'declare const require: any;\nexport const run = () => require.resolve("./b.ts");',
    ["error: unbundled_import at lib/a.ts:2"],
  ],
  ['declare const require: any;\nexport const run = () => require.resolve("tools/fp");', []],
];

test.each(late)("an import that cannot be found at run time is reported with its line: %s", async (code, expected) => {
  expect(await diagnose({ "lib/a.ts": code, "lib/b.ts": "export {};", "lib/parts/c.ts": "export {};" })).toEqual(
    expected,
  );
});

const durations: [call: string, line: number | null][] = [
  ['ctx.sleep("a", "200000000d")', 2],
  ["ctx.sleep('a', '36526d')", 2],
  ["ctx.sleep(`a ${id}`, '36526d')", 2],
  ['ctx.sleep("a", Infinity)', 2],
  ['ctx.sleep("a", 1e400)', 2],
  ['ctx.sleep("a", NaN)', 2],
  ['ctx.sleep("a", -1)', 2],
  ['ctx.sleep("a", 4_000_000_000_000)', 2],
  ['ctx.sleep("a", "5 minutes")', 2],
  ['ctx.sleep("a", "")', 2],
  ['sleep("a", "900000h")', 2],
  ['ctx.step("a", { timeout: "200000000d" }, () => 1)', 2],
  ['ctx.step("a", { retries: 3, initialDelay: "1s", maxDelay: 1e300 }, () => ({ timeout: 1 }))', 2],
  ['ctx.step(`a, (${id})`, {\n  retries: 3,\n  timeout: "9999999h",\n}, async () => 1)', 4],
  ['ctx.sleep("a", "36525d")', null],
  ['ctx.sleep("a", 0)', null],
  ['ctx.sleep("a", 2_000_000_000)', null],
  ['ctx.sleep("a", delay)', null],
  ['ctx.sleep("a", 1 / 3)', null],
  ['ctx.step("a", { timeout: "10s", retries: 2 }, () => fetch(id, { timeout: "none" }))', null],
  ['ctx.step("a", () => ({ timeout: "200000000d" }))', null],
  ['ctx.sleep("\\"200000000d\\", )", "1d")', null],
  ['other.asleep("a", "no duration")', null],
  ['// ctx.sleep("a", "200000000d")', null],
];

test.each(durations)("a literal duration that fails every run is an error at its line: %s", async (call, line) => {
  const code = `export const run = async (ctx: any, sleep: any, delay: any, id: string, other: any) => {\n  ${call}\n};`;
  expect(await diagnose({ "lib/a.ts": code })).toEqual(
    line === null ? [] : [`error: invalid_duration at lib/a.ts:${line}`],
  );
});
