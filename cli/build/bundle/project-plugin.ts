import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, extname, join, posix, relative, sep } from "node:path";
import type { Loader, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import { sdkEntries, type sdkFile } from "../../../server/paths.ts";
import { hasGitHubEvents, writeGitHubEvents } from "./github-events.ts";

/** The `detail` of an esbuild message from this plugin: its diagnostic. */
interface PluginDetail {
  code: "unresolved_import";
  fix: string;
}

/** The namespace of files of the Signalbox package, so that bundles contain no path of the machine. */
const packageNamespace = "signalbox";

/** The folder of the Signalbox package, and its SDK in it. */
export interface PackageFiles {
  packageRoot: string;
  sdkFile: typeof sdkFile;
}

/**
 * Resolves imports of the user's project: `signalbox/*` to this package's SDK (bundled), npm packages and built-in
 * modules to themselves (external), everything else as esbuild does, with tsconfig paths. A missing package is an error
 * at its import. `references` replaces files: absolute path → source.
 */
export function projectPlugin(p: {
  projectDir: string;
  packageFiles: PackageFiles;
  references: ReadonlyMap<string, string>;
}): Plugin {
  return {
    name: "signalbox-project",
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => resolveImport(build, args, p));
      build.onLoad({ filter: /.*/, namespace: packageNamespace }, (args) => loadPackageFile(p, args.path));
      build.onLoad({ filter: /\.(?:tsx?|mts|m?js)$/, namespace: "file" }, (args) => {
        const contents = p.references.get(args.path);
        return contents === undefined ? undefined : { contents, loader: "js" };
      });
    },
  };
}

async function resolveImport(
  build: PluginBuild,
  args: OnResolveArgs,
  p: { projectDir: string; packageFiles: PackageFiles },
): Promise<OnResolveResult | undefined> {
  if (args.kind === "entry-point" || args.pluginData === isSecondLook) return undefined;
  if (args.namespace === packageNamespace && args.path.startsWith(".")) {
    return { path: posix.join(posix.dirname(args.importer), args.path), namespace: packageNamespace };
  }
  if (args.path === "signalbox" || args.path.startsWith("signalbox/"))
    return resolveEntryPoint(p.packageFiles, args.path);
  if (isBuiltin(args.path)) return { path: args.path, external: true };
  if (args.namespace === packageNamespace) return resolveOfPackage(build, args, p.packageFiles);
  if (args.path.startsWith(".") || args.path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(args.path))
    return resolveFile(build, args);
  return resolvePackage(build, args, p.projectDir);
}

const isSecondLook = Symbol("second look");

/** The project has its own Zod. Other packages are part of the SDK: only its sources, in a checkout, still import them. */
async function resolveOfPackage(
  build: PluginBuild,
  args: OnResolveArgs,
  { packageRoot }: PackageFiles,
): Promise<OnResolveResult> {
  const found = packageName(args.path) === "zod" ? null : await lookAgain(build, args, packageRoot);
  if (!isFound(found)) return { path: args.path, external: true };
  return {
    path: relative(packageRoot, found.path).split(sep).join("/"),
    namespace: packageNamespace,
    sideEffects: false,
  };
}

function resolveEntryPoint({ packageRoot, sdkFile }: PackageFiles, path: string): OnResolveResult {
  const entryPoint = sdkEntries.find((name) => path === `signalbox/${name}`);
  if (!entryPoint)
    return notFound(
      `signalbox has no entry point "${path}"`,
      `Import from ${sdkEntries.map((name) => `signalbox/${name}`).join(", ")}.`,
    );
  return {
    path: relative(packageRoot, sdkFile(entryPoint)).split(sep).join("/"),
    namespace: packageNamespace,
    sideEffects: false,
  };
}

async function resolveFile(build: PluginBuild, args: OnResolveArgs): Promise<OnResolveResult> {
  const found = await lookAgain(build, args, args.resolveDir);
  if (found) return found;
  return notFound(`File not found: ${args.path}`, "Correct the path, or create the file.");
}

/** Packages are external, except for TypeScript sources, which Node does not run below node_modules. */
async function resolvePackage(build: PluginBuild, args: OnResolveArgs, projectDir: string): Promise<OnResolveResult> {
  const found = await lookAgain(build, args, args.resolveDir);
  if (!isFound(found) && isAlias(args.path))
    return notFound(
      `Import not found: ${args.path}`,
      "Correct the name, create the file, or correct `paths` in tsconfig.json (`imports` in package.json for #).",
    );
  if (!isFound(found))
    return notFound(
      `Package not found: ${packageName(args.path)}`,
      await sayHowToInstall(packageName(args.path), projectDir),
    );
  const isPackage = found.external === true || /[\\/]node_modules[\\/]/.test(found.path);
  if (!isPackage || /\.[mc]?tsx?$/.test(found.path)) return found;
  const isNested = args.resolveDir !== projectDir && !args.resolveDir.startsWith(projectDir + sep);
  if (isNested && !(await lookAgain(build, args, projectDir))) {
    const name = packageName(args.path);
    return notFound(
      `Package not found from the project: ${name}`,
      `Run \`npm install ${name}\` in the project, because the built code is there.`,
    );
  }
  return { path: args.path, external: true, sideEffects: found.sideEffects };
}

/** A package in package.json is not installed; any other name may be a typo. */
async function sayHowToInstall(name: string, projectDir: string): Promise<string> {
  const text = await readFile(join(projectDir, "package.json"), "utf8").catch(() => "");
  if (text.includes(`${JSON.stringify(name)}:`))
    return "Run `npm install` in the project: the package is in package.json, but not installed.";
  return `Run \`npm install ${name}\` in the project, or correct the name.`;
}

async function lookAgain(build: PluginBuild, args: OnResolveArgs, resolveDir: string): Promise<OnResolveResult | null> {
  const found = await build.resolve(args.path, {
    kind: args.kind,
    importer: args.importer,
    resolveDir,
    pluginData: isSecondLook,
  });
  if (found.errors.length > 0) return null;
  return {
    path: found.path,
    namespace: found.namespace,
    external: found.external,
    sideEffects: found.sideEffects,
    suffix: found.suffix,
  };
}

function notFound(text: string, fix: string): OnResolveResult {
  const detail: PluginDetail = { code: "unresolved_import", fix };
  return { errors: [{ text, detail }] };
}

/** Package names cannot begin so: it is an alias of a file. */
function isAlias(specifier: string): boolean {
  return /^(?:@\/|[~#$])/.test(specifier);
}

function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function isFound(found: OnResolveResult | null): found is OnResolveResult & { path: string } {
  return found?.path !== undefined;
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
