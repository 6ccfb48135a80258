import { describe, expect, test } from "vitest";
import { buildProject } from "../build-project.ts";
import { makeProject, makeWorkspace, smallProject } from "../testing/make-project.ts";
import { runBundle } from "../testing/run-bundle.ts";

interface OptionCase {
  name: string;
  compilerOptions: Record<string, unknown>;
  /** A module whose export `observed` depends on the option. */
  source: string;
  expected: unknown;
  /** The same module without the option; `undefined`: it does not compile. */
  otherwise?: unknown;
}

const fields = `
  class Base { constructor(input: { id: string }) { Object.assign(this, input); } }
  class Order extends Base { id?: string; }
  export const observed = Object.entries(new Order({ id: "a" }));`;
const elements = `
  const h = (name: string, props: unknown, ...children: string[]) => [name, props, ...children];
  const Group = "group";
  export const observed = [<b>1</b>, <>2</>];`;
const effects = (line: string) => `
  ${line}
  export const observed = Reflect.get(globalThis, "loadedTypes") === true && delete (globalThis as any).loadedTypes;`;

const options: OptionCase[] = [
  {
    name: "useDefineForClassFields: false",
    compilerOptions: { useDefineForClassFields: false },
    source: fields,
    expected: [["id", "a"]],
    otherwise: [["id", undefined]],
  },
  {
    name: "a target before ES2022",
    compilerOptions: { target: "es2021" },
    source: fields,
    expected: [["id", "a"]],
    otherwise: [["id", undefined]],
  },
  {
    name: "a target before ES2022 with useDefineForClassFields: true",
    compilerOptions: { target: "es2020", useDefineForClassFields: true },
    source: fields,
    expected: [["id", undefined]],
  },
  {
    name: "experimentalDecorators",
    compilerOptions: { experimentalDecorators: true },
    source: `
      const seen: unknown[] = [];
      const note = (...args: any[]): any => { seen.push(args.length, typeof args[1]); };
      class A { @note run() {} }
      export const observed = seen;`,
    expected: [3, "string"],
    otherwise: [2, "object"],
  },
  {
    name: "experimentalDecorators with parameters",
    compilerOptions: { experimentalDecorators: true },
    source: `
      const seen: unknown[] = [];
      const inject = (name: string) => (_: unknown, __: unknown, index: number) => { seen.push(name, index); };
      class A { constructor(@inject("mailer") readonly mailer: string, @inject("store") store: string) {} }
      export const observed = seen;`,
    expected: ["store", 1, "mailer", 0],
  },
  {
    name: "jsx: react with a factory",
    compilerOptions: { jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Group" },
    source: elements,
    expected: [
      ["b", null, "1"],
      ["group", null, "2"],
    ],
  },
  {
    name: "jsx: preserve with a factory",
    compilerOptions: { jsx: "preserve", jsxFactory: "h", jsxFragmentFactory: "Group" },
    source: elements,
    expected: [
      ["b", null, "1"],
      ["group", null, "2"],
    ],
  },
  {
    name: "jsx: react-jsx with an import source",
    compilerOptions: { jsx: "react-jsx", jsxImportSource: "@acme/elements" },
    source: elements,
    expected: ["acme b", "acme Fragment"],
  },
  {
    name: "jsx: react-jsxdev with an import source",
    compilerOptions: { jsx: "react-jsxdev", jsxImportSource: "@acme/elements" },
    source: elements,
    expected: ["dev b", "dev Fragment"],
  },
  {
    name: "jsx: preserve",
    compilerOptions: { jsx: "preserve", jsxImportSource: "@acme/elements" },
    source: elements,
    expected: ["acme b", "acme Fragment"],
  },
  {
    name: "verbatimModuleSyntax",
    compilerOptions: { verbatimModuleSyntax: true },
    source: effects('import { type Loaded } from "@acme/effect";'),
    expected: true,
    otherwise: false,
  },
  {
    name: "preserveValueImports",
    compilerOptions: { preserveValueImports: true },
    source: effects('import { unused } from "@acme/effect";'),
    expected: true,
    otherwise: false,
  },
  {
    name: "importsNotUsedAsValues: preserve",
    compilerOptions: { importsNotUsedAsValues: "preserve" },
    source: effects('import { Loaded } from "@acme/effect";'),
    expected: true,
    otherwise: false,
  },
  {
    name: "paths",
    compilerOptions: { paths: { "$own/*": ["./own/*"] } },
    source: 'import { own } from "$own/file"; export const observed = own;',
    expected: "own file",
  },
  {
    name: "paths from ${configDir}",
    compilerOptions: { paths: { "$own/*": ["${configDir}/own/*"] } },
    source: 'import { own } from "$own/file"; export const observed = own;',
    expected: "own file",
  },
  {
    name: "baseUrl",
    compilerOptions: { baseUrl: "." },
    source: 'import { own } from "own/file"; export const observed = own;',
    expected: "own file",
  },
];

const links = { "@acme/shared": "packages/shared" };

/** The packages that the modules above import. */
const packages = {
  "../node_modules/@acme/elements/package.json": '{ "type": "module", "exports": { "./*": "./*.js" } }',
  "../node_modules/@acme/elements/jsx-runtime.js":
    'export const Fragment = "Fragment"; export const jsx = (name) => `acme ${name}`;',
  "../node_modules/@acme/elements/jsx-dev-runtime.js":
    'export const Fragment = "Fragment"; export const jsxDEV = (name) => `dev ${name}`;',
  "../node_modules/@acme/effect/package.json": '{ "type": "module", "exports": "./index.js" }',
  "../node_modules/@acme/effect/index.js": "globalThis.loadedTypes = true; export const unused = 1;",
};

const config = (compilerOptions: unknown, more: object = {}) => JSON.stringify({ compilerOptions, ...more });
const reExport = (path: string) => `import { observed } from "${path}"; export default observed;`;

/** Places of a module in a project: the file that is bundled, and the files of the project. */
const places: Record<string, (options: Record<string, unknown>, source: string) => [string, Record<string, string>]> = {
  "an entry file": (compilerOptions, source) => [
    "workflows/a.tsx",
    {
      "tsconfig.json": config(compilerOptions),
      "own/file.ts": 'export const own = "own file";',
      "workflows/a.tsx": `${source}\nexport default observed;`,
    },
  ],
  "an imported file": (compilerOptions, source) => [
    "workflows/a.ts",
    {
      "tsconfig.json": config(compilerOptions),
      "own/file.ts": 'export const own = "own file";',
      "workflows/a.ts": reExport("../lib/b"),
      "lib/b.ts": 'export * from "./deep/c";',
      "lib/deep/c.tsx": source,
    },
  ],
  "a folder with its own tsconfig.json": (compilerOptions, source) => [
    "workflows/a.ts",
    {
      "tsconfig.json": config({ jsx: "react", jsxFactory: "none", useDefineForClassFields: true }),
      "workflows/a.ts": reExport("../lib/c"),
      "lib/tsconfig.json": config(compilerOptions),
      "lib/own/file.ts": 'export const own = "own file";',
      "lib/c.tsx": source,
    },
  ],
  "a package of the workspace": (compilerOptions, source) => [
    "workflows/a.ts",
    {
      "tsconfig.json": config({ jsx: "react", jsxFactory: "none", useDefineForClassFields: true }),
      "workflows/a.ts": reExport("@acme/shared"),
      "../packages/shared/package.json": '{ "exports": "./src/c.tsx" }',
      "../packages/shared/tsconfig.json": config(compilerOptions),
      "../packages/shared/own/file.ts": 'export const own = "own file";',
      "../packages/shared/src/c.tsx": source,
    },
  ],
  "a tsconfig.json that extends others": (compilerOptions, source) => [
    "workflows/a.ts",
    {
      "tsconfig.json": config({}, { extends: ["./first.json", "./configs/second"] }),
      "first.json": config({ jsx: "react-jsx", useDefineForClassFields: false, target: "es2023" }),
      "configs/second.json": config({ strict: true }, { extends: "../third.json" }),
      "third.json": config(compilerOptions),
      "own/file.ts": 'export const own = "own file";',
      "workflows/a.ts": reExport("../lib/c"),
      "lib/c.tsx": source,
    },
  ],
  "a tsconfig.json that extends one of a package": (compilerOptions, source) => [
    "workflows/a.ts",
    {
      "tsconfig.json": config(
        // Paths of a package are relative to it, except with ${configDir}.
        "paths" in compilerOptions || "baseUrl" in compilerOptions ? compilerOptions : {},
        { extends: "@acme/tsconfig/strict" },
      ),
      "node_modules/@acme/tsconfig/package.json": '{ "exports": { "./strict": "./made/strict.json" } }',
      "node_modules/@acme/tsconfig/made/strict.json": config(compilerOptions),
      "own/file.ts": 'export const own = "own file";',
      "workflows/a.ts": reExport("../lib/c"),
      "lib/c.tsx": source,
    },
  ],
};

describe.each(Object.entries(places))("the options of the nearest tsconfig.json apply to %s", (_, place) => {
  test.each(options)("$name", async ({ compilerOptions, source, expected }) => {
    const [file, files] = place(compilerOptions, source);
    expect(await runBundle(makeWorkspace({ ...packages, ...files }, links), file)).toEqual(expected);
  });
});

test.each(options.filter((one) => "otherwise" in one))("without $name, the default applies", async (one) => {
  const [file, files] = places["an imported file"]?.({ jsx: "react-jsx" }, one.source) ?? ["", {}];
  expect(await runBundle(makeWorkspace({ ...packages, ...files }, links), file)).toEqual(one.otherwise);
});

test("customConditions select the sources of a package of the workspace", async () => {
  const files = {
    "tsconfig.json": config({ customConditions: ["acme-source"] }),
    "workflows/a.ts": reExport("@acme/shared"),
    "../packages/shared/package.json": '{ "exports": { "acme-source": "./c.ts", "default": "./dist/missing.js" } }',
    "../packages/shared/c.ts": "export const observed: string = 'source';",
  };
  expect(await runBundle(makeWorkspace({ ...packages, ...files }, links), "workflows/a.ts")).toBe("source");
});

const decorated = `
  const Entity = (target: any) => target;
  @Entity
  export class Customer { name!: string; }`;

const build = (files: Record<string, string>) =>
  buildProject({ projectDir: makeWorkspace({ ...smallProject, ...files }, links) });

describe("emitDecoratorMetadata", () => {
  const both = { experimentalDecorators: true, emitDecoratorMetadata: true };
  test.each(["lib/send.ts", "workflows/receipt.ts", "triggers/paid.ts"] as const)(
    "is refused at the first decorator, with the fix: %s",
    async (file) => {
      const files = { "tsconfig.json": config(both), [file]: `${smallProject[file]}${decorated}` };
      const line = smallProject[file].split("\n").length + 2;
      expect(await build(files)).toMatchObject({
        ok: false,
        diagnostics: [
          { code: "unsupported_tsconfig", file, line, fix: expect.stringContaining("Give each decorator") },
        ],
      });
    },
  );

  test("is refused in a package of the workspace that extends the option", async () => {
    const files = {
      "../base.json": config(both),
      "../packages/shared/tsconfig.json": JSON.stringify({ extends: "../../base.json" }),
      "../packages/shared/package.json": '{ "exports": "./c.ts" }',
      "../packages/shared/c.ts": decorated,
      "lib/send.ts": 'import { Customer } from "@acme/shared"; export const send = (id: string) => `${Customer}${id}`;',
    };
    expect(await build(files)).toMatchObject({
      ok: false,
      diagnostics: [{ code: "unsupported_tsconfig", file: "../packages/shared/c.ts", line: 3 }],
    });
  });

  test("does no harm to a project without decorators", async () => {
    const files = {
      "lib/send.ts": "/** @param order its id */\nexport const send = (order: string) => `a@b ${order}`;",
    };
    expect(await build({ ...files, "tsconfig.json": config(both) })).toMatchObject({ ok: true, warnings: [] });
  });
});

test.each([
  ["moduleSuffixes", { moduleSuffixes: [".node", ""] }, {}],
  ["rootDirs", { rootDirs: ["lib", "made"] }, {}],
  ["references", {}, { files: [], references: [{ path: "./app.json" }] }],
])("a warning says that %s has no effect, once", async (option, compilerOptions, more) => {
  const projectDir = makeProject({
    ...smallProject,
    "tsconfig.json": JSON.stringify({ ...more, compilerOptions }, null, 2),
    "app.json": config({ useDefineForClassFields: false }),
  });
  expect(await buildProject({ projectDir })).toMatchObject({
    ok: true,
    warnings: [
      {
        code: "unsupported_tsconfig",
        severity: "warning",
        file: "tsconfig.json",
        title: expect.stringContaining(option),
      },
    ],
  });
});

test.each([
  ["a base that is missing", { extends: "./missing.json" }, "error"],
  ["a package that is missing", { extends: ["@acme/missing/base.json"] }, "error"],
  ["a cycle", { extends: "./tsconfig.json" }, "error"],
  ["an unknown target", { compilerOptions: { target: "es1999" } }, "warning"],
])("a tsconfig.json with %s is reported with its line (%s, %s)", async (_, tsconfig, severity) => {
  const projectDir = makeProject({ ...smallProject, "tsconfig.json": JSON.stringify(tsconfig, null, 2) });
  const result = await buildProject({ projectDir });
  expect(result.ok).toBe(severity === "warning");
  expect(result.ok ? result.warnings : result.diagnostics).toMatchObject([
    { code: "invalid_tsconfig", severity, file: "tsconfig.json", line: expect.any(Number) },
  ]);
});
