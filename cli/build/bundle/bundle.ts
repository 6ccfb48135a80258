import { mkdir, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { type BuildFailure, type BuildOptions, type Message, type Metafile, type OutputFile, build } from "esbuild";
import { packageRoot, sdkFile } from "../../../server/paths.ts";
import { type ExternalFiles, checkModule, isSuspect, missingVariables } from "./check-modules.ts";
import { placePath, placePaths } from "./installed-packages.ts";
import { type PackageFiles, projectPlugin } from "./project-plugin.ts";
import { readCustomConditions } from "./tsconfig.ts";

export interface BundledFile {
  /** Path below the build folder, with `/`. */
  path: string;
  contents: Uint8Array;
}

export type Bundle =
  | {
      ok: true;
      files: BundledFile[];
      warnings: Message[];
      /** For each of the user's files in the bundle, the files that it imports: paths in the project. */
      imports: ReadonlyMap<string, readonly string[]>;
      /** The packages that the built code imports when it is loaded, in this order. */
      packages: readonly string[];
    }
  | { ok: false; errors: Message[]; warnings: Message[] };

const none: ReadonlyMap<string, string> = new Map();

/**
 * The code bundle of workers: a module for each trigger and workflow file, with shared chunks. Default of
 * `packageFiles`: this package.
 */
export function bundleCode(options: {
  projectDir: string;
  outDir: string;
  files: readonly string[];
  packageFiles?: PackageFiles;
}): Promise<Bundle> {
  return bundle(options, {
    entryPoints: options.files.map((file) => ({ in: join(options.projectDir, file), out: `code/${moduleStem(file)}` })),
    splitting: true,
    chunkNames: "code/chunks/[name]-[hash]",
  });
}

/**
 * The sources bundle of the receiver: one module that exports `triggers` in the order given. Files of workflows and
 * agents become references.
 */
export function bundleSources(options: {
  projectDir: string;
  outDir: string;
  triggerFiles: readonly string[];
  /** File of a workflow or an agent → its reference. */
  targets: ReadonlyMap<string, { kind: "workflow" | "agent"; slug: string }>;
}): Promise<Bundle> {
  const { projectDir, triggerFiles, targets } = options;
  const imports = triggerFiles.map((file, index) => `import trigger${index} from ${JSON.stringify(`./${file}`)};`);
  const names = triggerFiles.map((_, index) => `trigger${index}`);
  const contents = [...imports, `export const triggers = [${names.join(", ")}];`, ""].join("\n");
  const references = new Map([...targets].map(([file, target]) => [join(projectDir, file), referenceModule(target)]));
  return bundle(
    options,
    {
      stdin: { contents, resolveDir: projectDir, sourcefile: "signalbox:sources", loader: "js" },
      entryNames: "sources",
    },
    references,
  );
}

/** One file of the project with its imports, as a module without a source map. */
export function bundleFile(options: { projectDir: string; outDir: string; file: string }): Promise<Bundle> {
  const { projectDir, file } = options;
  return bundle(options, { entryPoints: [{ in: join(projectDir, file), out: "module" }], sourcemap: "external" });
}

/** Path of the built module of a file, below the build folder. */
export function moduleOf(file: string): string {
  return `code/${moduleStem(file)}.mjs`;
}

/** Resolves when the files are on disk, so that a manifest can refer to them. */
export async function writeBundle(outDir: string, files: readonly BundledFile[]): Promise<void> {
  const folders = new Set(files.map((file) => dirname(join(outDir, file.path))));
  for (const folder of folders) await mkdir(folder, { recursive: true });
  await Promise.all(files.map((file) => writeFile(join(outDir, file.path), file.contents, { flush: true })));
}

/** Files other than `.ts` keep their extension, because `a.ts` and `a.js` can exist side by side. */
function moduleStem(file: string): string {
  return file.replace(/\.ts$/, "");
}

function referenceModule({ kind, slug }: { kind: string; slug: string }): string {
  return `export default Object.freeze({ [Symbol.for("signalbox.definition")]: "reference", kind: ${JSON.stringify(kind)}, slug: ${JSON.stringify(slug)} });\n`;
}

type EntryOptions = Pick<
  BuildOptions,
  "entryPoints" | "entryNames" | "stdin" | "splitting" | "chunkNames" | "sourcemap"
>;

async function bundle(
  { projectDir, outDir, packageFiles }: { projectDir: string; outDir: string; packageFiles?: PackageFiles },
  options: EntryOptions,
  references = none,
): Promise<Bundle> {
  const externals = new Map<string, { specifier: string; file: string }>();
  try {
    const result = await build({
      absWorkingDir: projectDir,
      outdir: outDir,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      write: false,
      metafile: true,
      platform: "node",
      format: "esm",
      target: "node22",
      sourcemap: "linked",
      sourcesContent: true,
      charset: "utf8",
      legalComments: "none",
      logLevel: "silent",
      logOverride: reportedByEsbuild,
      define: missingVariables,
      // For files whose tsconfig.json preserves JSX, or has no `jsx`.
      jsx: "automatic",
      // Those of Node, which `module` is not.
      conditions: readCustomConditions(projectDir),
      plugins: [
        projectPlugin({
          projectDir,
          packageFiles: packageFiles ?? { packageRoot, sdkFile },
          references,
          onExternal: (path, external) => externals.set(path, external),
        }),
      ],
      // Provides `require` for CommonJS code.
      banner: {
        js: 'import { createRequire as signalboxRequire } from "node:module"; const require = signalboxRequire(import.meta.url);',
      },
      ...options,
    });
    const { outputFiles, metafile, warnings } = result;
    const errors = checkModules(outputFiles, externals, projectDir);
    if (errors.length > 0) return { ok: false, errors, warnings };
    return {
      ok: true,
      files: outputFiles.map((file) => ({
        path: relative(outDir, file.path).split(sep).join("/"),
        contents: placePaths(file.contents, relative(dirname(file.path), projectDir)),
      })),
      warnings,
      imports: new Map(
        Object.entries(metafile.inputs).map(([file, input]) => [file, input.imports.map(({ path }) => path)]),
      ),
      packages: packagesOf(metafile),
    };
  } catch (error) {
    if (isBuildError(error)) return { ok: false, errors: error.errors, warnings: error.warnings };
    throw error;
  }
}

function packagesOf({ outputs }: Metafile): string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  const external = imports.filter(
    ({ external, kind, path }) => external && kind === "import-statement" && !isBuiltin(path),
  );
  // They are loaded from the state folder, which is in the project.
  return [...new Set(external.map(({ path }) => placePath(path, "..")))];
}

function checkModules(files: readonly OutputFile[], externals: ExternalFiles, projectDir: string): Message[] {
  const maps = new Map(files.map((file) => [file.path, file]));
  return files
    .filter(({ path }) => path.endsWith(".mjs"))
    .flatMap((file) => {
      const map = maps.get(`${file.path}.map`)?.text;
      if (map === undefined || !isSuspect(file.text, externals)) return [];
      const path = relative(projectDir, file.path).split(sep).join("/");
      return checkModule({ path, code: file.text, map }, externals);
    });
}

/** Messages that esbuild does not show by default. */
const reportedByEsbuild = { "unsupported-dynamic-import": "warning", "unsupported-require-call": "warning" } as const;

function isBuildError(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors) && "warnings" in error;
}
