import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { packageRoot } from "../../../server/paths.ts";
import { createPackageResolver } from "./load-packages.ts";

interface Resolved {
  specifier: string;
  parentURL: string | undefined;
  conditions: string[];
  importAttributes: Record<string, string>;
  /** As Node resolves it; `null`: it throws. */
  url: string | null;
  format: string | null;
}

/** All imports that Node resolves while it loads these modules. */
function recordImports(folder: string, modules: readonly string[]): Resolved[] {
  const program = `
    import { registerHooks } from "node:module";
    const resolved = [];
    registerHooks({
      resolve(specifier, context, next) {
        const { parentURL, conditions, importAttributes } = context;
        const found = { specifier, parentURL, conditions: [...conditions], importAttributes: { ...importAttributes }, url: null, format: null };
        resolved.push(found);
        const result = next(specifier, context);
        return Object.assign(found, { url: result.url, format: result.format ?? null }), result;
      },
    });
    for (const name of ${JSON.stringify(modules)}) await import(name).catch(() => {});
    process.stdout.write(JSON.stringify(resolved), () => process.exit());`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64e6,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return JSON.parse(output) as Resolved[];
}

/** Those that are resolved without Node, which must agree with it. */
function compare(imports: readonly Resolved[]): { own: Resolved[]; differing: unknown[] } {
  const resolve = createPackageResolver();
  const own: Resolved[] = [];
  const differing: unknown[] = [];
  for (const imported of imports) {
    const result = resolve(imported.specifier, imported);
    if (result === null) continue;
    own.push(imported);
    if (result.url !== imported.url || (imported.format !== null && result.format !== imported.format))
      differing.push({ imported, result });
  }
  return { own, differing };
}

it("resolves imports inside of packages as Node does, and most of them: SDKs with hundreds of modules", () => {
  const modules = [
    "stripe",
    "octokit",
    "drizzle-orm/node-postgres",
    "drizzle-orm/pg-core",
    "pg",
    "zod",
    "jose",
    "hono",
  ];
  const imports = recordImports(packageRoot, modules);
  const { own, differing } = compare(imports);
  expect(differing).toEqual([]);
  expect(own.length).toBeGreaterThan(800);
});

it("leaves what is not a plain module of an ES package to Node: links, folders, queries, other types, missing files", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-resolve-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files: Record<string, string> = {
    "node_modules/odd/package.json":
      '{ "name": "odd", "type": "module", "exports": "./index.js", "imports": { "#a": "./a.js" } }',
    "node_modules/odd/index.js": [
      "./a.js",
      "./deep/../a.js",
      "./a.js?again",
      "./a.js#part",
      "./%61.js",
      "./linked.js",
      "./linked/b.js",
      "./folder.js",
      "./missing.js",
      "./plain/c.js",
      "./commonjs/d.js",
      "./untyped/e.js",
      "./f.mjs",
      "#a",
      "plain",
      "../plain/other.js",
      "./node_modules/inner/g.js",
    ]
      .map((name) => `await import(${JSON.stringify(name)}).catch(() => {});`)
      .concat('await import("./data.json", { with: { type: "json" } }).catch(() => {});')
      .join("\n"),
    "node_modules/odd/a.js": "export default 1;",
    "node_modules/odd/data.json": "{}",
    "node_modules/odd/deep/b.js": 'import "../a.js";',
    "node_modules/odd/folder.js/index.js": "",
    "node_modules/odd/plain/c.js": "export default 1;",
    "node_modules/odd/commonjs/package.json": '{ "type": "commonjs" }',
    "node_modules/odd/commonjs/d.js": 'require("./x.js");',
    "node_modules/odd/commonjs/x.js": "",
    "node_modules/odd/untyped/package.json": '{ "name": "untyped" }',
    "node_modules/odd/untyped/e.js": "",
    "node_modules/odd/f.mjs": 'import "./a.js";',
    "node_modules/odd/node_modules/inner/g.js": "",
    "node_modules/plain/package.json": '{ "name": "plain" }',
    "node_modules/plain/index.js": 'require("./other.js");',
    "node_modules/plain/other.js": "",
  };
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
  const odd = join(folder, "node_modules/odd");
  symlinkSync(join(odd, "a.js"), join(odd, "linked.js"));
  symlinkSync(join(odd, "deep"), join(odd, "linked"));
  const imports = recordImports(folder, ["odd"]);
  const { own, differing } = compare(imports);
  expect(differing).toEqual([]);
  expect(imports.length).toBeGreaterThan(18);
  const resolved = new Set(own.flatMap(({ url }) => (url === null ? [] : fileURLToPath(url).slice(odd.length + 1))));
  expect([...resolved].sort()).toEqual(["a.js", "plain/c.js"]);
});
