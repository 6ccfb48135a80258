import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, extname, join, posix, relative, sep } from "node:path";
import type {
  Loader,
  OnLoadResult,
  OnResolveArgs,
  OnResolveResult,
  PartialMessage,
  Plugin,
  PluginBuild,
  ResolveResult,
} from "esbuild";
import { sdkEntries, type sdkFile } from "../../../server/paths.ts";
import { hasGitHubEvents, writeGitHubEvents } from "./github-events.ts";
import { isInstalled, packageName, specifierOf } from "./installed-packages.ts";
import type { MessageDetail } from "./messages.ts";
import { createTsconfigReader } from "./tsconfig.ts";

/** The namespace of files of the Signalbox package, so that bundles contain no path of the machine. */
const packageNamespace = "signalbox";

/** The folder of the Signalbox package, and its SDK in it. */
export interface PackageFiles {
  packageRoot: string;
  sdkFile: typeof sdkFile;
}

/**
 * Resolves imports of the user's project. `signalbox/*` is this package's SDK (bundled). npm packages and built-in
 * modules are external, as Node finds them at run time. esbuild resolves everything else, reports imports that do not
 * resolve, and applies the nearest tsconfig.json of each file. `references` replaces files: absolute path → source.
 */
export function projectPlugin(options: {
  projectDir: string;
  packageFiles: PackageFiles;
  references: ReadonlyMap<string, string>;
  /** Called for each import of an installed package: `path` is the import in the built code. */
  onExternal: (path: string, external: { specifier: string; file: string }) => void;
}): Plugin {
  return {
    name: "signalbox-project",
    setup(build) {
      const tsconfig = createTsconfigReader(options.projectDir);
      const look = rememberLooks(build);
      build.onResolve({ filter: /.*/ }, (args) => resolveImport(look, args, options));
      build.onLoad({ filter: /.*/, namespace: packageNamespace }, (args) => loadPackageFile(options, args.path));
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, async (args) => {
        const contents = options.references.get(args.path);
        if (contents !== undefined) return { contents, loader: "js" };
        return isInstalled(args.path) ? undefined : await tsconfig.load(args.path);
      });
    },
  };
}

const isSecondLook = Symbol("second look");

async function resolveImport(
  look: Look,
  args: OnResolveArgs,
  { packageFiles, projectDir, onExternal }: Parameters<typeof projectPlugin>[0],
): Promise<OnResolveResult | undefined> {
  if (args.kind === "entry-point" || args.pluginData === isSecondLook) return undefined;
  if (args.namespace === packageNamespace && args.path.startsWith(".")) {
    return { path: posix.join(posix.dirname(args.importer), args.path), namespace: packageNamespace };
  }
  if (args.path === "signalbox" || args.path.startsWith("signalbox/"))
    return resolveEntryPoint(packageFiles, args.path);
  if (isBuiltin(args.path)) return { path: args.path, external: true };
  if (args.namespace === packageNamespace) return resolveOfPackage(look, args, packageFiles);
  const isFile = args.path.startsWith(".");
  // Only these can be in a `try`, in which esbuild accepts imports that do not resolve.
  if (isFile && args.kind !== "dynamic-import" && args.kind !== "require-call") return undefined;
  const { path, namespace, errors, sideEffects } = await look(args, args.resolveDir);
  if (isFile) return errors.length > 0 ? { warnings: [missingFile(args.path)] } : undefined;
  if (errors.length > 0 || namespace !== "file" || !isInstalled(path) || !isRunByNode(path)) return undefined;
  const imported = specifierOf({ specifier: args.path, isImport: !args.kind.startsWith("require") }, path, projectDir);
  onExternal(imported, { specifier: args.path, file: path });
  return { path: imported, external: true, sideEffects };
}

function missingFile(path: string): PartialMessage {
  const detail: MessageDetail = {
    code: "unresolved_import",
    reason: "The code handles the error of this import, so the build continues. The import always fails at run time.",
    fix: "Correct the path, create the file, or remove the import.",
  };
  return { text: `File not found: ${path}`, detail };
}

/** Node runs no TypeScript below node_modules, and imports JSON only with an attribute. */
function isRunByNode(path: string): boolean {
  return !/\.(?:[cm]?tsx?|json)$/.test(path);
}

/** The import as esbuild itself resolves it. */
type Look = (args: OnResolveArgs, resolveDir: string) => Promise<ResolveResult>;

/** Esbuild takes milliseconds for each look, and most files of a folder import the same packages. */
function rememberLooks(build: PluginBuild): Look {
  const looks = new Map<string, Promise<ResolveResult>>();
  return ({ path, kind, importer }, resolveDir) => {
    const key = JSON.stringify([path, kind, resolveDir]);
    const look = looks.get(key) ?? build.resolve(path, { kind, importer, resolveDir, pluginData: isSecondLook });
    looks.set(key, look);
    return look;
  };
}

/** The project has its own Zod. Other packages are part of the SDK: only its sources, in a checkout, still import them. */
async function resolveOfPackage(
  look: Look,
  args: OnResolveArgs,
  { packageRoot }: PackageFiles,
): Promise<OnResolveResult> {
  const found = packageName(args.path) === "zod" ? null : await look(args, packageRoot);
  if (found === null || found.errors.length > 0) return { path: args.path, external: true };
  return {
    path: relative(packageRoot, found.path).split(sep).join("/"),
    namespace: packageNamespace,
    sideEffects: false,
  };
}

function resolveEntryPoint({ packageRoot, sdkFile }: PackageFiles, path: string): OnResolveResult {
  const entryPoint = sdkEntries.find((name) => path === `signalbox/${name}`);
  if (!entryPoint) {
    const detail: MessageDetail = {
      code: "unresolved_import",
      fix: `Import from ${sdkEntries.map((name) => `signalbox/${name}`).join(", ")}.`,
    };
    return { errors: [{ text: `signalbox has no entry point "${path}"`, detail }] };
  }
  return {
    path: relative(packageRoot, sdkFile(entryPoint)).split(sep).join("/"),
    namespace: packageNamespace,
    sideEffects: false,
  };
}

async function loadPackageFile(
  { projectDir, packageFiles }: { projectDir: string; packageFiles: PackageFiles },
  path: string,
): Promise<OnLoadResult> {
  const file = join(packageFiles.packageRoot, path);
  if (hasGitHubEvents(path))
    return { contents: await writeGitHubEvents(file, projectDir), loader: "js", resolveDir: dirname(file) };
  const loader: Loader = extname(path) === ".ts" ? "ts" : "js";
  // Source maps of the published SDK contain the path of the package, on which stacks and versions must not depend.
  const contents = (await readFile(file, "utf8")).replace(/^\/\/# sourceMappingURL=.*$/m, "");
  return { contents, loader, resolveDir: dirname(file) };
}
