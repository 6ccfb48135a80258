import { readFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { type Loader, type Message, transform } from "esbuild";
import { getTsconfig } from "get-tsconfig";
import { toMessage } from "./messages.ts";

type Tsconfig = NonNullable<ReturnType<typeof getTsconfig>>;

/** What the build cannot do with a file, and its contents if they differ from those on the disk. */
interface LoadedSource {
  contents?: string;
  loader?: Loader;
  errors: Message[];
  warnings: Message[];
}

/**
 * Esbuild compiles each file with the nearest tsconfig.json, except for these options. Each tsconfig.json is read once,
 * and reported once.
 */
export function createTsconfigReader(projectDir: string): { load(file: string): Promise<LoadedSource | undefined> } {
  const cache = new Map<string, Tsconfig>();
  const reported = new Set<string>();
  const name = (file: string) => relative(projectDir, file).split(sep).join("/");

  return {
    async load(file) {
      const tsconfig = readTsconfig(file, cache);
      if (!tsconfig) return undefined;
      const { compilerOptions: options = {} } = tsconfig.config;
      const loaded: LoadedSource = { errors: [], warnings: [] };
      if (!reported.has(tsconfig.path)) {
        reported.add(tsconfig.path);
        loaded.warnings = await findUnsupported(tsconfig, cache, name);
      }
      if (options.emitDecoratorMetadata === true) {
        const error = await findDecorator(file, { file: name(file), tsconfig: name(tsconfig.path) });
        if (error) loaded.errors.push(error);
      }
      const isPreserved = options.jsx !== "react" && !options.jsx?.startsWith("react-jsx");
      const hasFactory = options.jsxFactory !== undefined || options.jsxFragmentFactory !== undefined;
      // The build compiles preserved JSX with the runtime of React by default. A comment at the end moves no line.
      if (file.endsWith("x") && isPreserved && hasFactory) {
        loaded.contents = `${await readFile(file, "utf8")}\n/* @jsxRuntime classic */`;
        loaded.loader = file.endsWith("tsx") ? "tsx" : "jsx";
      }
      return loaded;
    },
  };
}

/** `customConditions` of the project's tsconfig.json, by which packages of a workspace often select their sources. */
export function readCustomConditions(projectDir: string): string[] {
  return readTsconfig(projectDir, new Map())?.config.compilerOptions?.customConditions ?? [];
}

/** `null`: there is none, or it is invalid, which esbuild reports. */
function readTsconfig(path: string, cache: Map<string, Tsconfig>): Tsconfig | null {
  try {
    return getTsconfig(path, "tsconfig.json", cache);
  } catch {
    return null;
  }
}

/** The options that change what compiled code does. */
const effective = [
  "target",
  "useDefineForClassFields",
  "experimentalDecorators",
  "emitDecoratorMetadata",
  "jsx",
  "jsxFactory",
  "jsxFragmentFactory",
  "jsxImportSource",
  "verbatimModuleSyntax",
  "paths",
  "baseUrl",
] as const;

/** Warnings about options that neither Node nor the build applies to imports, or that are in another file. */
async function findUnsupported(
  tsconfig: Tsconfig,
  cache: Map<string, Tsconfig>,
  name: (file: string) => string,
): Promise<Message[]> {
  const { compilerOptions: { moduleSuffixes, rootDirs } = {}, files, include, references = [] } = tsconfig.config;
  const found: { option: string; text: string; fix: string }[] = [];
  if (moduleSuffixes?.some((suffix) => suffix !== ""))
    found.push({
      option: "moduleSuffixes",
      text: "moduleSuffixes has no effect on the built code",
      fix: "Import each file by its full name, and remove the option.",
    });
  if (rootDirs !== undefined)
    found.push({
      option: "rootDirs",
      text: "rootDirs has no effect on the built code",
      fix: "Import each file by its path, or through `paths`, and remove the option.",
    });
  if (files?.length === 0 && include === undefined) {
    const referenced = references.flatMap(({ path }) => readReference(join(dirname(tsconfig.path), path), cache) ?? []);
    const ignored = new Set(
      referenced.flatMap(({ config }) =>
        effective.filter(
          (option) =>
            JSON.stringify(config.compilerOptions?.[option]) !==
            JSON.stringify(tsconfig.config.compilerOptions?.[option]),
        ),
      ),
    );
    if (ignored.size > 0)
      found.push({
        option: "references",
        text: `options of the files in references have no effect on the built code: ${[...ignored].join(", ")}`,
        fix: `Set them in ${name(tsconfig.path)}, or in a file that it and the referenced ones extend. The build reads the nearest tsconfig.json of each file.`,
      });
  }
  if (found.length === 0) return [];
  const source = await readFile(tsconfig.path, "utf8");
  return found.map(({ option, text, fix }) =>
    toMessage(
      { code: "unsupported_tsconfig", fix },
      { text, file: name(tsconfig.path), source, index: source.indexOf(`"${option}"`) },
    ),
  );
}

function readReference(path: string, cache: Map<string, Tsconfig>): Tsconfig | null {
  try {
    return path.endsWith(".json")
      ? getTsconfig(dirname(path), basename(path), cache)
      : getTsconfig(path, "tsconfig.json", cache);
  } catch {
    return null;
  }
}

/** An error at the first decorator of a file. Without decorators, the option has no effect. */
async function findDecorator(
  path: string,
  { file, tsconfig }: { file: string; tsconfig: string },
): Promise<Message | null> {
  const source = await readFile(path, "utf8");
  const index = /(?<=^\s*|[\s(,])@[A-Za-z_$(]/m.exec(source)?.index;
  if (index === undefined) return null;
  const compiled = await transform(source, {
    loader: path.endsWith("x") ? "tsx" : "ts",
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
    logLevel: "silent",
    // A syntax error, which the build reports.
  }).catch(() => null);
  if (!compiled?.code.includes("__decorate")) return null;
  return toMessage(
    {
      code: "unsupported_tsconfig",
      fix: `Give each decorator its type as an argument, e.g. \`@Column({ type: "text" })\` or \`@Inject(Mailer)\`, and remove emitDecoratorMetadata from ${tsconfig}. Or compile these files to JavaScript with tsc, and import the result.`,
      reason:
        "emitDecoratorMetadata gives decorators the types of the code. The build removes types without reading them, so libraries that read the types at run time would not work.",
    },
    { text: "emitDecoratorMetadata is not supported", file, source, index },
  );
}
