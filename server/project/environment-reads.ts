import { replaceValidated } from "./validated-environment.ts";

/**
 * The reads of environment variables in the code of a build, as esbuild prints it: `process.env.A`, also by constants,
 * by destructuring and by other names of `process.env`.
 */

/** `process.env.A` or `process.env["A"]`, as the source of a pattern. */
export const environmentRead: string = String.raw`process\.env(?:\.[\w$]+|\["[\w$]+"\])`;

const literal = String.raw`"[^"\\\n]*"`;

/**
 * Replaces other names of variables with `process.env.A` where that is certain. Reads that remain under other names
 * look like computed ones. `files`: the project's own code, file by file. `checked`: the variables that a library
 * checks for no more than their length.
 */
export function nameReads(files: readonly string[]): { files: string[]; checked: ReadonlySet<string> } {
  const validated = replaceValidated(files.map(withoutOptionalChains));
  return {
    files: inlineConstants(replaceAliases(validated.files).map(withoutOptionalChains).map(expandDestructuring)),
    checked: validated.names,
  };
}

/** `process` and its environment are always there. */
function withoutOptionalChains(code: string): string {
  return code
    .replaceAll(/\bprocess\?\.env\b/g, "process.env")
    .replaceAll(/\bprocess\.env\?\.(?=\[)/g, "process.env")
    .replaceAll(/\bprocess\.env\?\./g, "process.env.");
}

/** `var env = process.env;`, `import { env } from "node:process";` and `import process2 from "node:process";`. */
const declaration = new RegExp(
  [
    String.raw`^(?:var|let|const) (?<value>[\w$]+) = process\.env;$`,
    String.raw`^import \{ (?:env as )?(?<env>[\w$]+) \} from "(?:node:)?process";$`,
    String.raw`^import (?:\* as )?(?<process>[\w$]+) from "(?:node:)?process";$`,
  ].join("|"),
  "gm",
);

/** The lists by which the files of a build share names. */
const sharedNames = /^(?:import|export) \{[^}]*\}(?: from "[^"]*")?;$/gm;

/**
 * Replaces other names of `process.env` and of `process`. A name is replaced only if each of its uses, in every file,
 * reads a field with a literal name, or such fields by destructuring.
 */
function replaceAliases(files: readonly string[]): readonly string[] {
  const declarations = [...files.join("\n").matchAll(declaration)].map(({ 0: text, groups = {} }) => ({
    text,
    name: groups["process"] ?? groups["env"] ?? groups["value"] ?? "",
    meaning: groups["process"] === undefined ? "process.env" : "process",
  }));
  const code = files.join("\n").replaceAll(declaration, "");
  const lists = code.match(sharedNames)?.join("\n") ?? "";
  const body = code.replaceAll(sharedNames, "");
  const isReplaced = ({ name, meaning }: (typeof declarations)[number]): boolean => {
    const word = wordPattern(name);
    const fields = meaning === "process" ? String.raw`(?=\.[a-z])` : String.raw`(?=\??\.[A-Za-z_$]|(?:\?\.)?\[")`;
    const destructured = String.raw`(?<=^(?:var|let|const) \{[^{}.]*\} = )${word}(?=;$)`;
    const isRenamed = new RegExp(`${word} as |as ${word}`).test(lists);
    const meanings = new Set(declarations.flatMap((other) => (other.name === name ? [other.meaning] : [])));
    return (
      !isRenamed &&
      meanings.size === 1 &&
      countMatches(body, word) === countMatches(body, `${word}${fields}|${destructured}`)
    );
  };
  const replaced = declarations.filter(isReplaced);
  const without = files.map((file) => replaced.reduce((rest, { text }) => rest.replaceAll(text, ""), file));
  return replaced.reduce<readonly string[]>((changed, { name, meaning }) => {
    const word = new RegExp(wordPattern(name), "g");
    return changed.map((file) =>
      file.replaceAll(sharedNames, (list) => list.replaceAll(word, "")).replaceAll(word, meaning),
    );
  }, without);
}

function wordPattern(name: string): string {
  return String.raw`(?<![\w$.])${name.replaceAll("$", String.raw`\$`)}(?![\w$])`;
}

function countMatches(text: string, pattern: string): number {
  return text.match(new RegExp(pattern, "gm"))?.length ?? 0;
}

/** `var { A, B: b = "" } = process.env;` at the top level becomes one constant for each variable. */
function expandDestructuring(code: string): string {
  return code.replaceAll(/^(?:var|let|const) \{([^{}]*)\} = process\.env;$/gm, (whole, inner: string) => {
    const names = inner
      .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
      .flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
    const read = names.map((part) => new RegExp(String.raw`^([\w$]+)(?:: ([\w$]+))?(?: = (${literal}))?$`).exec(part));
    if (read.some((one) => one === null)) return whole;
    return read
      .map((one) => {
        const [, name = "", local = name, initial] = one ?? [];
        return `var ${local} = process.env.${name}${initial === undefined ? "" : ` ?? ${initial}`};`;
      })
      .join("\n");
  });
}

const constant = new RegExp(
  String.raw`^(?:var|let|const) ([\w$]+) = (${environmentRead})(?:\s*(?:\?\?|\|\|)\s*${literal})?;$`,
  "gm",
);
const shorthand = /([{,]\s*)(secret|publicKey|topicArn|verifyToken|audience|appId)(?=\s*[,}])/g;

/** The names that a file imports and exports. */
const listedNames = (file: string) => new Set((file.match(sharedNames) ?? []).join(" ").match(/[\w$]+/g));

/**
 * Replaces constants by the `process.env.A` that they contain: `var secret = process.env.A;` above `github({ secret
 * })`, also in a file that imports it by the same name. To find too many reads does no harm: a read outside of a
 * signature keeps the variable.
 */
function inlineConstants(files: readonly string[]): string[] {
  const own = files.map(
    (file) => new Map([...file.matchAll(constant)].map(([, name = "", value = ""]) => [name, value])),
  );
  const times = new Map<string, number>();
  for (const values of own) for (const name of values.keys()) times.set(name, (times.get(name) ?? 0) + 1);
  // Two files can have constants of the same name: then an import may mean either.
  const shared = new Map(own.flatMap((values) => [...values].filter(([name]) => times.get(name) === 1)));
  // An export without such an import is a read by code that is not known.
  const imports = listedNames(
    files
      .flatMap((file) => file.match(/^import \{[^}]*\}/gm) ?? [])
      .map((list) => `${list};`)
      .join("\n"),
  );
  return files.map((file, at) => {
    const lists = listedNames(file);
    const isRenamed = (name: string) =>
      new RegExp(`${wordPattern(name)} as `).test((file.match(sharedNames) ?? []).join());
    const imported = [...shared].filter(([name]) => lists.has(name) && !isRenamed(name));
    const values = new Map([...imported, ...(own[at] ?? [])]);
    return (
      file
        .replaceAll(constant, "")
        .replaceAll(sharedNames, (list) =>
          list.replaceAll(/[\w$]+(?! as )/g, (word) => (values.has(word) && imports.has(word) ? "" : word)),
        )
        .replaceAll(shorthand, "$1$2: $2")
        // Keys of objects are no reads, values after the question mark of a condition are.
        .replaceAll(/(?<![\w$.])[\w$]+(?![\w$])(?:(?!\s*:)|(?<=\?\s*[\w$]+))/g, (word) => values.get(word) ?? word)
    );
  });
}
