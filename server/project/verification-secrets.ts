import * as schemes from "../../sdk/verify/index.ts";

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
}

const read = String.raw`process\.env(?:\.[\w$]+|\["[\w$]+"\])`;
const fallback = String.raw`(?:\s*(?:\?\?|\|\|)\s*"[^"\\\n]*")?`;
const options = "secret|publicKey|topicArn|verifyToken";

/** `secret: process.env.A`, or with a list. The value is captured. */
const secretOption = new RegExp(
  String.raw`\b(?:${options}):\s*(${read}|\[\s*${read}(?:\s*,\s*${read})*,?\s*\])${fallback}\s*(?=[,}]|$)`,
  "g",
);

/** `github({ … })`, also behind `process.env.A ?`. The condition and the options are captured. */
const verificationBy = (names: readonly string[]) =>
  new RegExp(String.raw`(?:(${read})\s*(?:\?|&&)\s*)?\b(?:${names.join("|")})\d*\(\{((?:[^{}]|\{[^{}]*\})*)\}`, "g");

/** `code`: the files of a build. */
export function findVerificationSecrets(code: readonly string[]): VerificationSecret[] {
  const files = code.map(splitFile);
  const names = usedSchemes(files.flatMap(({ sdk }) => sdk));
  if (names.length === 0) return [];
  const modules = files.flatMap((file) => splitModules(inlineConstants(file.own)));
  const readBy = new Map<string, string[]>();
  for (const module of modules) {
    const path = /^\/\/ (.*)/.exec(module)?.[1] ?? "";
    for (const [, condition = "", given = ""] of module.matchAll(verificationBy(names))) {
      const values = [...given.matchAll(secretOption)].map(([, value = ""]) => value);
      for (const name of variablesIn([...(values.length > 0 ? [condition] : []), ...values].join()))
        readBy.set(name, [...(readBy.get(name) ?? []), path]);
    }
  }
  const all = [...modules, ...files.map(({ others }) => others)].join("\n");
  return [...readBy].map(([name, paths]) => ({
    name,
    modules: [...new Set(paths)],
    isOnlyInVerify: countWords(all, name) === paths.length,
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

/** The project's own modules, without those of the SDK and of packages. */
export function ownCodeOf(code: readonly string[]): string {
  return code.map((file) => inlineConstants(splitFile(file).own)).join("\n");
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

/**
 * The functions of `signalbox/verify` in the build. The project's own functions may have the names of the others, which
 * the build leaves out.
 */
function usedSchemes(sdk: readonly string[]): readonly string[] {
  const code = sdk.join("\n");
  return Object.keys(schemes).filter((name) => new RegExp(String.raw`^function ${name}\d*\(`, "m").test(code));
}

/**
 * Replaces constants by the `process.env.A` that they contain: `var secret = process.env.A;` above `github({ secret
 * })`. To find too many reads does no harm: a read outside of a signature keeps the variable.
 */
function inlineConstants(code: string): string {
  const constant = new RegExp(String.raw`^(?:var|let|const) ([\w$]+) = (${read})${fallback};$`, "gm");
  const values = new Map([...code.matchAll(constant)].map(([, name = "", value = ""]) => [name, value]));
  const shorthand = new RegExp(String.raw`([{,]\s*)(${options})(?=\s*[,}])`, "g");
  return code
    .replaceAll(constant, "")
    .replaceAll(shorthand, "$1$2: $2")
    .replaceAll(/(?<![\w$.])[\w$]+(?!\s*:)(?![\w$])/g, (word) => values.get(word) ?? word);
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
