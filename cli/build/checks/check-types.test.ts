import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProjectFiles } from "../project-files.ts";
import { makeProject } from "../testing/make-project.ts";
import { checkTypes } from "./check-types.ts";

const tsconfig = JSON.stringify({ compilerOptions: { strict: true, types: [], noEmit: true }, include: ["lib"] });
const check = (project: string, signal?: AbortSignal) =>
  checkTypes(project, { files: createProjectFiles(project), signal });

it("a project without type errors has no diagnostics", async () => {
  const project = makeProject({ "tsconfig.json": tsconfig, "lib/a.ts": "export const a: number = 1;\n" });
  expect(await check(project)).toEqual([]);
});

it("a project without TypeScript gets the command that installs it", async () => {
  const project = makeProject({ "tsconfig.json": tsconfig });
  rmSync(join(project, "node_modules"));
  expect(await check(project)).toMatchObject([
    { code: "missing_typescript", fix: "Install it: npm i -D typescript @types/node" },
  ]);
});

it("TypeScript of a folder above is found, as in a workspace", async () => {
  const project = makeProject({ "packages/hooks/tsconfig.json": tsconfig, "packages/hooks/lib/a.ts": "export {};\n" });
  expect(await check(join(project, "packages/hooks"))).toEqual([]);
});

it("an error of the configuration is reported with its location", async () => {
  const project = makeProject({
    "tsconfig.json": '{\n  "compilerOptions": { "strikt": true },\n  "include": ["lib"]\n}\n',
    "lib/a.ts": "export {};\n",
  });
  expect(await check(project)).toMatchObject([{ code: "type_error", file: "tsconfig.json", line: 2 }]);
});

it("no input and a compiler that fails without an error are reported", async () => {
  const empty = makeProject({ "tsconfig.json": tsconfig });
  expect(await check(empty)).toMatchObject([{ code: "type_error", title: expect.stringContaining("TS18003") }]);
  const broken = makeProject({ "tsconfig.json": tsconfig });
  rmSync(join(broken, "node_modules"));
  mkdirSync(join(broken, "node_modules/typescript"), { recursive: true });
  writeFileSync(join(broken, "node_modules/typescript/package.json"), '{ "bin": { "tsc": "tsc.cjs" } }');
  writeFileSync(join(broken, "node_modules/typescript/tsc.cjs"), 'console.error("out of memory");\nprocess.exit(7);\n');
  expect(await check(broken)).toMatchObject([{ title: "tsc ended with 7", text: "out of memory" }]);
});

it("an aborted check ends the compiler", async () => {
  const project = makeProject({ "tsconfig.json": tsconfig, "lib/a.ts": "export {};\n" });
  await expect(check(project, AbortSignal.abort())).rejects.toThrow("aborted");
});
