import { originalPositionFor, sourceContentFor, TraceMap } from "@jridgewell/trace-mapping";
import { type ImportDeclaration, type Program, parse } from "acorn";
import type { Message } from "esbuild";
import { posix } from "node:path";
import { readCommonJsExports } from "./commonjs-exports.ts";
import { findInvalidDurations } from "./find-durations.ts";
import { isInstalled } from "./installed-packages.ts";
import { toMessage } from "./messages.ts";
import { keyOf, visit } from "./syntax.ts";

/** The names of `__filename` and `__dirname` in built modules, which have neither. */
export const missingVariables = { __filename: "signalbox__filename", __dirname: "signalbox__dirname" };

/** A built module before it is written. `path` is its path from the project. */
export interface BuiltModule {
  path: string;
  code: string;
  /** The source map as JSON. */
  map: string;
}

/** An import of an installed package as it is in built modules → as it is in the sources, and the file of the package. */
export type ExternalFiles = ReadonlyMap<string, { specifier: string; file: string }>;

const namespaceImport = /^import (?:[\w$]+, )?\* as [\w$]+ from "(.+)";$/gm;

/** Esbuild leaves it as it is in ES modules. */
const resolvedFile = /(?<![\w$.])(?:__)?require\d*\.resolve\("\.{1,2}\//g;

/** Whether a module can have a problem that `checkModule` finds. Parsing every module would take too long. */
export function isSuspect(code: string, externals: ExternalFiles): boolean {
  if (Object.values(missingVariables).some((name) => code.includes(name))) return true;
  if (code.search(resolvedFile) >= 0 || findInvalidDurations(code).length > 0) return true;
  return [...code.matchAll(namespaceImport)].some(([, specifier = ""]) => externals.has(specifier));
}

/** Finds code that would fail at run time: because a built file is an ES module, or for an invalid duration. */
export function checkModule(module: BuiltModule, externals: ExternalFiles): Message[] {
  const locate = createLocator(module);
  return [
    ...findMissingVariables(module, locate),
    ...findResolvedFiles(module, locate),
    ...findNamespaces(module, externals, locate),
    ...findDurations(module, locate),
  ];
}

type Locator = (index: number) => { file: string; source: string; index: number } | null;

/** The position of built code in the sources of the project. */
function createLocator({ path, code, map }: BuiltModule): Locator {
  const traced = new TraceMap(map);
  const lineStarts = [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (at) => {
    const line = lineStarts.findLastIndex((start) => start <= at);
    const found = originalPositionFor(traced, { line: line + 1, column: at - (lineStarts[line] ?? 0) });
    if (found.source === null) return null;
    const source = sourceContentFor(traced, found.source) ?? "";
    const before = source.split("\n").slice(0, found.line - 1);
    return {
      file: posix.join(posix.dirname(path), found.source),
      source,
      index: before.join("\n").length + (before.length > 0 ? 1 : 0) + found.column,
    };
  };
}

/** `__filename` and `__dirname`, except in files that check with `typeof` whether they exist. */
function findMissingVariables({ code }: BuiltModule, locate: Locator): Message[] {
  return Object.entries(missingVariables).flatMap(([name, variable]) =>
    [...code.matchAll(new RegExp(`\\b${variable}\\b`, "g"))].flatMap(({ index }) => {
      const at = locate(index);
      if (!at || isInstalled(at.file) || /\btypeof\s+__(?:file|dir)name\b/.test(at.source)) return [];
      return [toMessage({ code: "missing_module_path" }, { text: `${name} does not exist in built code`, ...at })];
    }),
  );
}

function findResolvedFiles({ code }: BuiltModule, locate: Locator): Message[] {
  return [...code.matchAll(resolvedFile)].flatMap(({ index }) => {
    const at = locate(index);
    if (!at || isInstalled(at.file)) return [];
    return [toMessage({ code: "unbundled_import" }, { text: "require.resolve() gets the path of a file", ...at })];
  });
}

function findDurations({ code }: BuiltModule, locate: Locator): Message[] {
  return findInvalidDurations(code).flatMap(({ index, problem }) => {
    const at = locate(index);
    if (!at || isInstalled(at.file)) return [];
    return [toMessage({ code: "invalid_duration" }, { text: problem, ...at })];
  });
}

/** Namespace imports of CommonJS packages that are used as if they were the package's value. */
function findNamespaces({ code }: BuiltModule, externals: ExternalFiles, locate: Locator): Message[] {
  if (![...code.matchAll(namespaceImport)].some(([, specifier = ""]) => externals.has(specifier))) return [];
  const program = parse(code, { ecmaVersion: "latest", sourceType: "module", allowHashBang: true });
  return program.body.flatMap((statement) => {
    if (statement.type !== "ImportDeclaration") return [];
    const name = namespaceOf(statement);
    const external = externals.get(String(statement.source.value));
    const exported = name !== null && external ? readCommonJsExports(external.file) : null;
    if (name === null || !external || !exported) return [];
    const misuse = findMisuse(program, name, exported);
    const at = misuse && locate(misuse.index);
    if (!misuse || !at) return [];
    const { specifier } = external;
    return [
      toMessage(
        {
          code: "commonjs_namespace",
          fix: `Import its default export: \`import ${name} from ${JSON.stringify(specifier)}\`. Set \`esModuleInterop\` in tsconfig.json if TypeScript rejects that.`,
        },
        { text: `${specifier} ${misuse.problem}`, ...at },
      ),
    ];
  });
}

function namespaceOf({ specifiers }: ImportDeclaration): string | null {
  return specifiers.find(({ type }) => type === "ImportNamespaceSpecifier")?.local.name ?? null;
}

interface Misuse {
  index: number;
  problem: string;
}

/** The first use that fails. `null`: there is none, or the code uses `default`, so it knows what the namespace has. */
function findMisuse(program: Program, name: string, exported: ReadonlySet<string>): Misuse | null {
  const found: Misuse[] = [];
  let usesDefault = false;
  const has = (key: string) => exported.has(key) || key === "module.exports";
  const noteKey = (key: string, index: number) => {
    if (key === "default") usesDefault = true;
    else if (!has(key)) found.push({ index, problem: `has no export ${key} that Node finds for \`import * as\`` });
  };
  visit(program, null, (node, parent) => {
    if (node.type !== "Identifier" || node.name !== name || parent === null) return;
    const index = node.start;
    switch (parent.type) {
      case "ImportNamespaceSpecifier":
      case "ImportDefaultSpecifier":
      case "LabeledStatement":
        return;
      case "MemberExpression": {
        if (parent.object !== node) {
          if (parent.computed) break;
          return;
        }
        const key = keyOf(parent.property, parent.computed);
        if (key !== null) return noteKey(key, index);
        break;
      }
      case "Property":
      case "MethodDefinition":
      case "PropertyDefinition":
        if (parent.key === node && !parent.computed && parent.value !== node) return;
        break;
      case "VariableDeclarator":
        if (parent.init === node && parent.id.type === "ObjectPattern") {
          const keys = parent.id.properties.map((one) =>
            one.type === "Property" ? keyOf(one.key, one.computed) : null,
          );
          if (keys.every((key) => key !== null)) return keys.forEach((key) => noteKey(key, index));
        }
        break;
      case "CallExpression":
        // How esbuild writes `export * from`.
        if (parent.callee.type === "Identifier" && parent.callee.name === "__reExport") return;
        if (parent.callee === node) found.push({ index, problem: "cannot be called: `import * as` gives an object" });
        break;
      case "NewExpression":
        if (parent.callee === node)
          found.push({ index, problem: "cannot be constructed: `import * as` gives an object" });
        break;
    }
    if (exported.size === 0) found.push({ index, problem: "has no named exports that Node finds for `import * as`" });
  });
  return usesDefault ? null : (found[0] ?? null);
}
