import * as schemes from "../../sdk/verify/index.ts";
import { findSlip } from "../../sdk/verify/secrets.ts";
import { environmentRead as read, nameReads } from "./environment-reads.ts";
import { loadsFiles } from "./validated-environment.ts";

/**
 * The environment variables that hold the secrets of `verify`, found in the code of a build as esbuild prints it. The
 * code of each module is below a comment with its path.
 */
export interface VerificationSecret {
  /** Of the variable. */
  name: string;
  /** The modules of the project that pass it to a function of `signalbox/verify`: paths in the project. */
  modules: readonly string[];
  /** No other code reads the variable. */
  isOnlyInVerify: boolean;
  /**
   * Code of the project expects that the variable is set, because it checks the whole environment, or would load the
   * variable from a file. Without other reads, any string of the same length will do.
   */
  isExpected: boolean;
}

const fallback = String.raw`(?:\s*(?:\?\?|\|\|)\s*"[^"\\\n]*")?`;
const options = "secret|publicKey|topicArn|verifyToken|audience|appId";

/** `secret: process.env.A`, or with a list, also behind `process.env.A && {`. The condition and the value are captured. */
const secretOption = new RegExp(
  String.raw`(?:(${read})\s*(?:\?|&&)\s*\{\s*)?\b(?:${options}):\s*(${read}|\[\s*${read}(?:\s*,\s*${read})*,?\s*\])${fallback}\s*(?=[,}]|$)`,
  "g",
);

/**
 * `github({`, also as `verify.github({`, and `stripe.on("invoice.paid", {` of a typed source, also behind
 * `process.env.A ?`. The condition, the object before the dot and the name are captured.
 */
const callBy = ({ schemes: names, senders }: Verifiers) =>
  new RegExp(
    String.raw`(?:(${read})\s*(?:\?|&&)\s*)?(?<![\w$.])(?:([\w$]+)\.)?(?:((?:${[...names, "\\b\\B"].join("|")})\d*)\(|((?:${[...senders, "\\b\\B"].join("|")})\d*)\.on\(\s*"[^"\n]*",\s*)(?=\{)`,
    "g",
  );

/** Names at the top level of the project's own modules, or imported from a package: not those of the SDK. */
const ownName =
  /^(?:export )?(?:async )?(?:function\*?|class|var|let|const) ([\w$]+)|^import (?:\* as )?([^;]*?) from "(?!\.{1,2}\/)[^"]*"/gm;

function ownNamesOf(code: string): ReadonlySet<string> {
  const names = [...code.matchAll(ownName)].flatMap(([, declared, imported = ""]) =>
    // Of `a as b`, the name in this file.
    declared === undefined ? (imported.match(/[\w$]+(?=\s*(?:[,}]|$))/g) ?? []) : [declared],
  );
  return new Set(names);
}

/** `code`: the files of a build. */
export function findVerificationSecrets(code: readonly string[]): VerificationSecret[] {
  const files = code.map(splitFile);
  const verifiers = findVerifiers(files.flatMap(({ sdk }) => sdk));
  if (verifiers.schemes.length === 0) return [];
  const reads = nameReads(files.map(({ own }) => own));
  const modules = reads.files.flatMap((own) => {
    const ownNames = ownNamesOf(own);
    return splitModules(own).map((module) => ({ module, ownNames }));
  });
  // An object can be imported from another file of the build.
  const allNames = new Set(modules.flatMap(({ ownNames }) => [...ownNames]));
  const readBy = new Map<string, string[]>();
  for (const { module, ownNames } of modules) {
    const path = /^\/\/ (.*)/.exec(module)?.[1] ?? "";
    for (const found of module.matchAll(callBy(verifiers))) {
      const { 0: call, 1: condition = "", 2: object, 3: scheme = "", 4: sender = "", index } = found;
      const isOwn = object === undefined ? ownNames.has(scheme || sender) : allNames.has(object);
      if (isOwn) continue;
      const secrets = [...readBlock(module, index + call.length).matchAll(secretOption)];
      const values = secrets.flatMap(([, inner = "", value = ""]) => [inner, value]);
      for (const name of variablesIn([...(secrets.length > 0 ? [condition] : []), ...values].join()))
        readBy.set(name, [...(readBy.get(name) ?? []), path]);
    }
  }
  const all = [...modules.map(({ module }) => module), ...files.map(({ others }) => others)].join("\n");
  const isLoaded = files.some(({ own }) => loadsFiles(own));
  return [...readBy].map(([name, paths]) => ({
    name,
    modules: [...new Set(paths)],
    isOnlyInVerify: countWords(all, name) === paths.length,
    isExpected: isLoaded || reads.checked.has(name),
  }));
}

/**
 * Groups the triggers whose secrets are missing by the variables that are not set here. A trigger whose own file reads
 * no such variable shares those of the modules that it imports. `importersOf`: the files that import a file, if known;
 * otherwise the module itself is named. `others`: triggers whose variable cannot be found.
 */
export function nameMissingSecrets<Trigger extends { file: string }>(p: {
  triggers: readonly Trigger[];
  code: readonly string[];
  env?: NodeJS.ProcessEnv;
  importersOf?: (file: string) => ReadonlySet<string>;
}): { variables: { name: string; files: string[] }[]; others: Trigger[] } {
  const { triggers, env = process.env, importersOf } = p;
  const isMissing = new Set(triggers.map(({ file }) => file));
  const unset = findVerificationSecrets(p.code).filter(({ name }) => !env[name]);
  const variables = unset.flatMap(({ name, modules }) => {
    const users = modules.flatMap((module) => {
      if (isMissing.has(module) || !importersOf) return [module];
      return [...importersOf(module)].filter((file) => isMissing.has(file));
    });
    return users.length > 0 ? [{ name, files: [...new Set(users)].sort() }] : [];
  });
  const named = new Set(variables.flatMap(({ files }) => files));
  const areImported = !importersOf && [...named].some((file) => !isMissing.has(file));
  return { variables, others: areImported ? [] : triggers.filter(({ file }) => !named.has(file)) };
}

/** The variables that a trigger's file passes to `verify`; those that copying damaged, if there are any. */
export function nameUnusableSecrets(p: {
  file: string;
  code: readonly string[];
  env?: NodeJS.ProcessEnv;
  importersOf?: (file: string) => ReadonlySet<string>;
}): string[] {
  const { file, env = process.env, importersOf } = p;
  const found = findVerificationSecrets(p.code).filter(({ name }) => env[name]);
  const isOf = (module: string) => module === file || (importersOf?.(module).has(file) ?? false);
  const own = found.filter(({ modules }) => modules.some(isOf));
  const damaged = (own.length > 0 ? own : found).filter(({ name }) => findSlip(env[name] ?? "") !== null);
  return (damaged.length > 0 ? damaged : own).map(({ name }) => name);
}

/** The project's own modules, without those of the SDK and of packages. */
export function ownCodeOf(code: readonly string[]): string {
  return nameReads(code.map((file) => splitFile(file).own)).files.join("\n");
}

/** The names of the variables that a piece of code reads, one for each read. */
function variablesIn(code: string): string[] {
  return [...code.matchAll(/process\.env(?:\.|\[")([\w$]+)/g)].map(([, name = ""]) => name);
}

const splitModules = (code: string) => code.split(/^(?=\/\/ )/m);

function splitFile(code: string): { own: string; others: string; sdk: string[] } {
  const { own = [], others = [] } = Object.groupBy(splitModules(code), (module) =>
    /^\/\/ (signalbox:|(\.\.\/)*node_modules\/)/.test(module) ? "others" : "own",
  );
  return {
    own: own.join(""),
    others: others.join(""),
    sdk: others.filter((module) => module.startsWith("// signalbox:")),
  };
}

/** What checks signatures in a build. */
interface Verifiers {
  /** The functions of `signalbox/verify`. */
  schemes: readonly string[];
  /** The typed sources. */
  senders: readonly string[];
}

/**
 * The functions of `signalbox/verify` and the typed sources in the build. The project's own functions may have the
 * names of the others, which the build leaves out.
 */
function findVerifiers(sdk: readonly string[]): Verifiers {
  const code = sdk.join("\n");
  return {
    schemes: Object.keys(schemes).filter((name) => new RegExp(String.raw`^function ${name}\d*\(`, "m").test(code)),
    senders: [...code.matchAll(/\bcreateEventSources\d*\(\{\s*name: "(\w+)"/g)].map(([, name = ""]) => name),
  };
}

/** The block that begins with the bracket at `start`, to its closing bracket; empty if there is none. */
function readBlock(code: string, start: number): string {
  const tokens = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`|[{}]/g;
  tokens.lastIndex = start;
  let depth = 0;
  for (const { 0: token, index } of matchesFrom(tokens, code)) {
    if (token === "{") depth += 1;
    if (token === "}") depth -= 1;
    if (depth === 0) return code.slice(start, index + 1);
  }
  return "";
}

function* matchesFrom(pattern: RegExp, text: string): Generator<RegExpExecArray> {
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) yield match;
}

/**
 * Whether a name is in the text as a whole word: in `process.env.NAME`, `process.env["NAME"]`, or an option of a
 * library that reads it.
 */
export function containsWord(text: string, name: string): boolean {
  return findWord(text, name, 0) >= 0;
}

function countWords(text: string, name: string): number {
  let times = 0;
  for (let at = findWord(text, name, 0); at >= 0; at = findWord(text, name, at + 1)) times += 1;
  return times;
}

function findWord(text: string, name: string, from: number): number {
  for (let at = text.indexOf(name, from); at >= 0; at = text.indexOf(name, at + 1))
    if (!isOfWord(text[at - 1]) && !isOfWord(text[at + name.length])) return at;
  return -1;
}

function isOfWord(char: string | undefined): boolean {
  return char !== undefined && /[\w$]/.test(char);
}
