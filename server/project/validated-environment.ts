/**
 * `var env = schema.parse(process.env);`, in the code of a build as esbuild prints it. The whole environment goes
 * through a library that checks it, and the result has the same names.
 */
interface ValidatedEnvironment {
  /** The code, in which the result is another name of `process.env`. */
  files: string[];
  /** Variables that may have any string of the same length: the library reads nothing else of them. */
  names: ReadonlySet<string>;
}

/** A statement at the top level of a module. */
const statement = /^(?:export )?(?:var|let|const) ([\w$]+|\{[^{}]*\}) = .*(?:\n[ \t})\]].*)*;$/gm;
const wholeEnvironment = /\bprocess\.env\b(?!\s*\??\.|\s*\[)/g;
/** Code of the project can do anything with a value. */
const hasCode = /=>|\bfunction\b|\basync\b/;

/** How each library is called. Its import must be in the code, so that a function of the project is not meant. */
const libraries = [
  {
    from: /from "zod(?:\/[\w./-]+)?"/,
    call: /^(?:z\w*\.parse\()?[\w$.]+\.(?:object|looseObject)\(\{[^]*\}\)(?:\.parse\(|, )process\.env\);$/,
  },
  {
    from: /from "@t3-oss\/env-[\w-]+"/,
    call: /^(?:[\w$]+\.)?createEnv\d*\(\{[^]*\bruntimeEnv: process\.env\b[^]*\}\);$/,
  },
  { from: /from "envalid"/, call: /^(?:[\w$]+\.)?cleanEnv\d*\(process\.env, \{[^]*\}\);$/ },
];

const zodObject = /^[\w$.]+\.(?:object|looseObject)\(\{[^]*\}\);$/;
const text = String.raw`"(?:[^"\\\n]|\\.)*"`;

/** Of a secret, such as `whsec_`: a placeholder keeps it. */
const prefix = "[A-Za-z]{2,12}[_-]";

/**
 * A key whose value is `z.string()` with at most a length and a prefix, or `str()` of envalid: equally long strings are
 * equal to it.
 */
const plainString = new RegExp(
  String.raw`([{,]\s*(?://.*\n\s*)*)([A-Za-z_$][\w$]*): (?:[\w$]+\.)*(?:string\(\)(?:\.(?:min|max|length)\(\d+(?:, ${text})?\)|\.(?:optional|nullish|nonempty)\(\)|\.startsWith\("${prefix}"\)|\.(?:describe|default)\(${text}\))*|str\((?:\{ desc: ${text} \})?\))(?=\s*[,}])`,
  "g",
);

/**
 * Recognises Zod, t3-env and envalid. Without certainty, nothing is replaced: then the code reads the whole
 * environment. `files`: the project's own code, file by file.
 */
export function replaceValidated(files: readonly string[]): ValidatedEnvironment {
  const all = files.join("\n");
  const used = libraries.filter(({ from }) => from.test(all));
  const names = new Set<string>();
  const takeNames = (code: string) =>
    code.replaceAll(plainString, (_, before: string, name: string) => {
      names.add(name);
      return `${before}_: 0`;
    });
  const values = new Map([...all.matchAll(statement)].map(([whole, name = ""]) => [name, valueOf(whole)]));
  const schemas = new Set<string>();

  const replaced = files.map((file) =>
    file.replaceAll(statement, (whole) => {
      const value = valueOf(whole);
      if (hasCode.test(value) || value.match(wholeEnvironment)?.length !== 1) return whole;
      const alias = whole.replace(value, "process.env;");
      if (used.some(({ call }) => call.test(value)))
        return `${alias}\nvar checked = ${takeNames(value.replace(wholeEnvironment, "0"))}`;
      const [, schema = ""] = /^(?:z\w*\.parse\()?([\w$]+)(?:\.parse\(|, )process\.env\);$/.exec(value) ?? [];
      const definition = values.get(schema);
      const isZod = definition !== undefined && zodObject.test(definition) && !hasCode.test(definition);
      if (!isZod || !libraries[0]?.from.test(all)) return whole;
      schemas.add(schema);
      return alias;
    }),
  );
  return {
    files: replaced.map((file) =>
      file.replaceAll(statement, (whole, name: string) => (schemas.has(name) ? takeNames(whole) : whole)),
    ),
    names,
  };
}

function valueOf(whole: string): string {
  return whole.slice(whole.indexOf(" = ") + 3);
}

/**
 * The code loads variables from a file by itself, also those that were withheld. A variable that is set keeps its
 * value.
 */
export function loadsFiles(code: string): boolean {
  return /(?:from|import) "(?:dotenv|@dotenvx\/dotenvx)(?:\/[\w-]+)?"|\bloadEnvFile\(/.test(code);
}

/** A string of the same length that is not the secret. A prefix such as `whsec_` stays. */
export function placeholderFor(value: string): string {
  const start = new RegExp(`^${prefix}`).exec(value)?.[0] ?? "";
  return start + value.slice(start.length).replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A").replaceAll(/\d/g, "0");
}
