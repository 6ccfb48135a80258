import { describe, expect, test } from "vitest";
import { buildProject } from "../build-project.ts";
import { makeWorkspace, smallProject } from "../testing/make-project.ts";
import { runBundle } from "../testing/run-bundle.ts";

/** A package below node_modules/, as a record of its files. */
const installed = (name: string, files: Record<string, string>, root = "node_modules") =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${root}/${name}/${path}`, text]));

/** CommonJS packages without `exports`, in the shapes of well-known packages. */
const packages = {
  // dayjs: files without their extension
  ...installed("days", {
    "package.json": '{ "version": "1.0.0", "main": "days.min.js" }',
    "days.min.js": 'module.exports = "days";',
    "plugin/utc.js": 'module.exports = "utc " + require("../days.min.js");',
    "locale/de.json": '{ "name": "de" }',
  }),
  // rxjs 6: folders with a package.json
  ...installed("streams", {
    "package.json": '{ "main": "./index.js", "module": "./esm/index.js" }',
    "index.js": 'exports.of = "of";',
    "operators/package.json": '{ "main": "./made/index.js", "module": "../esm/operators.js", "sideEffects": false }',
    "operators/made/index.js": 'exports.map = "map"; exports.root = require("../../index.js");',
    "esm/operators.js": 'export { map } from "./map"; export const map2 = "esm";',
  }),
  // date-fns 2: folders with index.js
  ...installed("dates", {
    "package.json": '{ "main": "index" }',
    "index.js": 'exports.format = "format";',
    "locale/de/index.js": '"use strict"; exports.default = "de"; exports.code = "de";',
  }),
  // A main that is a folder, one without its extension, and none
  ...installed("@acme/in-folder", {
    "package.json": '{ "main": "lib" }',
    "lib/index.js": 'module.exports = "in lib";',
  }),
  ...installed("without-extension", { "package.json": '{ "main": "./out" }', "out.js": 'module.exports = "out";' }),
  ...installed("without-main", { "package.json": "{}", "index.js": 'module.exports = "index";' }),
  ...installed("without-package-json", { "index.js": 'module.exports = "index";', "deep/file.js": "exports.a = 1;" }),
  // Only for bundlers: Node itself finds no main
  ...installed("only-module", {
    "package.json": '{ "module": "es/index.js", "type": "module" }',
    "es/index.js": 'export const name = "es";',
  }),
  // With exports, of which Node takes those for import or require
  ...installed("two-kinds", {
    "package.json": `{ "exports": { ".": { "module": "./bundler.js", "import": "./a.mjs", "require": "./a.cjs" },
      "./deep/*": "./src/*.js" } }`,
    "bundler.js": 'export default "for bundlers"; import "./not-there";',
    "a.mjs": 'export default "import";',
    "a.cjs": 'module.exports = "require";',
    "src/b.js": 'module.exports = "b";',
  }),
  // What cannot be bundled: it reads its own folder
  ...installed("reads-itself", {
    "package.json": '{ "main": "index.js" }',
    "index.js": 'module.exports = require("fs").readFileSync(__dirname + "/data.txt", "utf8");',
    "data.txt": "own data",
  }),
};

const imports: [what: string, code: string, expected: unknown][] = [
  ["a main file", 'import days from "days"; export default days;', "days"],
  ["a file without its extension", 'import utc from "days/plugin/utc"; export default utc;', "utc days"],
  ["a file with its extension", 'import utc from "days/plugin/utc.js"; export default utc;', "utc days"],
  ["a dynamic import", 'export default (await import("days/plugin/utc")).default;', "utc days"],
  ["a require", 'export default require("days/plugin/utc");', "utc days"],
  ["an import with require", 'import utc = require("days/plugin/utc"); export default utc;', "utc days"],
  ["JSON without an attribute", 'import de from "days/locale/de.json"; export default de.name;', "de"],
  [
    "JSON with an attribute",
    'import de from "days/locale/de.json" with { type: "json" }; export default de.name;',
    "de",
  ],
  ["a folder with a package.json", 'import { map } from "streams/operators"; export default map;', "map"],
  [
    "a folder, then the main",
    'import { root } from "streams/operators"; import all from "streams"; export default root === all;',
    true,
  ],
  ["a folder with index.js", 'import { code } from "dates/locale/de"; export default code;', "de"],
  ["a folder with a slash at the end", 'import { code } from "dates/locale/de/"; export default code;', "de"],
  ["a main that is a folder", 'import it from "@acme/in-folder"; export default it;', "in lib"],
  ["a file of a main that is a folder", 'import it from "@acme/in-folder/lib"; export default it;', "in lib"],
  ["a main without its extension", 'import it from "without-extension"; export default it;', "out"],
  ["a package without main", 'import it from "without-main"; export default it;', "index"],
  ["a package without package.json", 'import it from "without-package-json"; export default it;', "index"],
  ["a file of it", 'import { a } from "without-package-json/deep/file"; export default a;', 1],
  ["a package with only `module`", 'import { name } from "only-module"; export default name;', "es"],
  ["exports for import", 'import it from "two-kinds"; export default it;', "import"],
  ["exports for require", 'export default require("two-kinds");', "require"],
  ["a pattern of exports", 'import b from "two-kinds/deep/b"; export default b;', "b"],
  ["a package that reads its own folder", 'import it from "reads-itself"; export default it;', "own data"],
  ["an alias of tsconfig.json", 'import utc from "$days/plugin/utc"; export default utc;', "utc days"],
  ["an alias of package.json", 'import utc from "#utc"; export default utc;', "utc days"],
  ["an alias of a package with exports", 'import b from "#b"; export default b;', "b"],
  ["a built-in module", 'import path from "path"; import "node:fs"; export default typeof path.join;', "function"],
  ["re-exported names", 'import * as all from "../lib/all"; export default [all.map, all.code];', ["map", "de"]],
  ["optional packages that are missing", 'export default await import("not-there").catch(() => "none");', "none"],
  ["an optional require", 'let it; try { it = require("not-there") } catch { it = "none" } export default it;', "none"],
];

const project = {
  ...packages,
  "package.json": '{ "type": "module", "imports": { "#utc": "days/plugin/utc.js", "#b": "two-kinds/deep/b" } }',
  "tsconfig.json": '{ "compilerOptions": { "paths": { "$days/*": ["./node_modules/days/*"] } } }',
  "lib/all.ts": 'export { map } from "streams/operators"; export * from "dates/locale/de";',
};

describe("an import of a package loads what Node's CommonJS loads", () => {
  test.each(imports)("%s", async (_, code, expected) => {
    const projectDir = makeWorkspace({ ...project, "workflows/a.ts": code });
    expect(await runBundle(projectDir, "workflows/a.ts")).toEqual(expected);
  });

  test.each(imports)("%s, from a package of the workspace", async (_, code, expected) => {
    const shared = Object.fromEntries(
      Object.entries(project).map(([path, text]) => [`../packages/shared/${path}`, text]),
    );
    const files = {
      ...shared,
      "../packages/shared/package.json": JSON.stringify({
        ...JSON.parse(project["package.json"]),
        exports: "./src/a.ts",
      }),
      "../packages/shared/src/a.ts": code,
      "workflows/a.ts": 'export { default } from "@acme/shared";',
    };
    expect(await runBundle(makeWorkspace(files, { "@acme/shared": "packages/shared" }), "workflows/a.ts")).toEqual(
      expected,
    );
  });
});

const version = (name: string, text: string, root?: string) =>
  installed(
    name,
    {
      "package.json": '{ "main": "index.js" }',
      "index.js": `module.exports = "${text}";`,
      "deep.js": `exports.deep = "${text}";`,
    },
    root,
  );
const use = (text: string) => `import shared from "@acme/shared";\n${text}`;

describe("a package of the workspace gets its own version of a dependency", () => {
  const own = "../packages/shared/node_modules";
  const both = {
    ...version("tool", "the project's"),
    ...version("tool", "its own", own),
    "../packages/shared/package.json": '{ "exports": { ".": "./src/index.ts", "./cjs": "./dist/index.cjs" } }',
    "../packages/shared/src/index.ts":
      'import tool from "tool"; import { deep } from "tool/deep"; export default [tool, deep];',
    "../packages/shared/dist/index.cjs": 'module.exports = [require("tool"), require("tool/deep").deep];',
    "workflows/a.ts": 'import tool from "tool"; import shared from "@acme/shared"; export default [tool, shared];',
  };
  const { "workflows/a.ts": _, ...withoutEntry } = both;
  const links = { "@acme/shared": "packages/shared" };

  test("of TypeScript sources", async () => {
    expect(await runBundle(makeWorkspace(both, links), "workflows/a.ts")).toEqual([
      "the project's",
      ["its own", "its own"],
    ]);
  });

  test("of CommonJS, and for code in nested folders of the output", async () => {
    const files = { ...both, "workflows/deep/er/a.ts": 'export { default } from "@acme/shared/cjs";' };
    expect(await runBundle(makeWorkspace(files, links), "workflows/deep/er/a.ts")).toEqual(["its own", "its own"]);
  });

  test("if the project has no version", async () => {
    const projectDir = makeWorkspace(
      {
        ...Object.fromEntries(Object.entries(withoutEntry).filter(([path]) => !path.startsWith("node_modules"))),
        "workflows/a.ts": 'export { default } from "@acme/shared";',
      },
      links,
    );
    expect(await runBundle(projectDir, "workflows/a.ts")).toEqual(["its own", "its own"]);
  });

  test("of a package in the project's own folder, and from a path with characters of URLs", async () => {
    const files = {
      ...version("tool", "the project's"),
      ...version("tool", "its own", "lib/a #1 100%/node_modules"),
      "lib/a #1 100%/index.ts": 'import tool from "tool"; export const all = [tool, require("tool")];',
      "workflows/a.ts": 'export { all as default } from "../lib/a #1 100%/index";',
    };
    expect(await runBundle(makeWorkspace(files), "workflows/a.ts")).toEqual(["its own", "its own"]);
  });

  test("in a complete build, in its sources, and in the settings", async () => {
    const projectDir = makeWorkspace(
      {
        ...withoutEntry,
        ...smallProject,
        "../packages/shared/src/index.ts": 'import tool from "tool"; export default tool;',
        "triggers/paid.ts": use(
          smallProject["triggers/paid.ts"].replace('slug: "paid"', 'slug: shared.replace(" ", "-")'),
        ),
        "signalbox.config.ts": use("export default { name: shared };"),
      },
      links,
    );
    expect(await buildProject({ projectDir })).toMatchObject({
      ok: true,
      manifest: { triggers: [{ slug: "its-own" }], settings: { name: "its own" } },
    });
  });
});

/** Code without an export of a package, the specifier in it, and the line of the export. */
const missing: [code: string, from: string, line: number][] = [
  ['import { gone } from "streams/operators";\nexport const send = () => gone;', "streams/operators", 1],
  [
    'import { format } from "dates";\nimport {\n  code,\n  gone,\n} from "dates/locale/de";\nexport const send = () => [format, code, gone];',
    "dates/locale/de",
    4,
  ],
  ["import utc, { gone } from 'days/plugin/utc';\nexport const send = () => [utc, gone];", "days/plugin/utc", 1],
  ['import { gone as from } from "days/plugin/utc.js";\nexport const send = () => from;', "days/plugin/utc.js", 1],
  ['export { gone as send } from "@acme/in-folder/lib";', "@acme/in-folder/lib", 1],
  ['import { gone } from "$days/plugin/utc";\nexport const send = () => gone;', "$days/plugin/utc", 1],
  ['import { gone } from "#utc";\nexport const send = () => gone;', "#utc", 1],
  ['import { gone } from "two-kinds/deep/b";\nexport const send = () => gone;', "two-kinds/deep/b", 1],
  ['import { gone } from "days";\nexport const send = () => gone;', "days", 1],
];

const workflow = (at: number, from: string) =>
  `import { defineWorkflow } from "signalbox/workflow"; import { z } from "zod"; import { send } from "${from}";
export default defineWorkflow({ slug: "w${at}", input: z.unknown(), run: () => send() });`;

test("a missing export of a package is reported with the specifier in the code, also in a package of the workspace", async () => {
  const shared = "../packages/shared/src/index.ts";
  const projectDir = makeWorkspace(
    {
      ...project,
      ...smallProject,
      ...Object.fromEntries(
        missing.flatMap(([code], at) => [
          [`lib/${at}.ts`, code],
          [`workflows/${at}.ts`, workflow(at, `../lib/${at}`)],
        ]),
      ),
      ...version("tool", "its own", "../packages/shared/node_modules"),
      "../packages/shared/package.json": '{ "exports": "./src/index.ts" }',
      [shared]: 'import { gone } from "tool/deep";\nexport const send = () => gone;',
      "workflows/shared.ts": workflow(missing.length, "@acme/shared"),
    },
    { "@acme/shared": "packages/shared" },
  );
  const built = await buildProject({ projectDir });
  const found = built.ok ? [] : built.diagnostics.filter(({ code }) => code === "unresolved_import");
  const expected = [
    ...missing.map(([, from, line], at) => ({ file: `lib/${at}.ts`, from, line })),
    { file: shared, from: "tool/deep", line: 1 },
  ];
  expect(found.map(({ title, line, fix }) => [title, line, fix])).toEqual(
    expect.arrayContaining(
      expected.map(({ file, from, line }) => [
        `${file} › ${from} has no export gone`,
        line,
        expect.stringContaining(`import all from "${from}"`),
      ]),
    ),
  );
  expect(found).toHaveLength(expected.length);
});
