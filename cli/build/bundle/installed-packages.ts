import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, posix, relative, sep } from "node:path";
import { z } from "zod";

/** Whether a file belongs to an installed package, and not to the project or its workspace. */
export function isInstalled(path: string): boolean {
  return /[\\/]node_modules[\\/]/.test(path);
}

/** The name of the package in a specifier such as `@acme/a/b`; `null`: it is an alias or a path. */
export function packageName(specifier: string): string | null {
  return /^(?:@[\w.~-]+\/)?[\w.~-]+(?=\/|$)/.exec(specifier)?.[0] ?? null;
}

/** The folder of a package as Node finds it from a folder; `null`: it is not installed there. */
export function findPackage(name: string, from: string): string | null {
  const folder = join(from, "node_modules", name);
  if (existsSync(folder)) return realpathSync(folder);
  const parent = dirname(from);
  return parent === from ? null : findPackage(name, parent);
}

/**
 * The specifier with which Node loads a file of an installed package from the built code. It is `specifier` if Node
 * resolves it to that package. Node's modules add no extension and no `index.js`, so a path in a package without
 * `exports` becomes the path of the file. Node may find another version from the project, or none, as for dependencies
 * of a workspace package. Such a file is imported by its path, which is part of a URL for `import` and not for
 * `require`.
 */
export function specifierOf(
  { specifier, isImport }: { specifier: string; isImport: boolean },
  file: string,
  projectDir: string,
): string {
  const [, folder = "", folderName = ""] = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))/.exec(file) ?? [];
  const name = [packageName(specifier), folderName.split(sep).join("/")].find(
    (candidate) => candidate !== null && findPackage(candidate, projectDir) === folder,
  );
  const path = toPosix(relative(projectDir, file));
  const byPath = `${pathPrefix}${isImport ? path.replaceAll(/[%?#]/g, encodeURIComponent) : path}`;
  if (name === undefined || name === null) return byPath;
  const hasExports = readPackage(folder).exports !== undefined;
  if (specifier === name || specifier.startsWith(`${name}/`)) {
    if (hasExports) return specifier;
    if (specifier === name && findMain(name, projectDir) === file) return specifier;
  } else if (hasExports) return byPath;
  return posix.join(name, toPosix(relative(folder, file)));
}

/** Marks a path from the project's folder, until the place of the importing module is known. */
const pathPrefix = "signalbox-project:";
const marked = /"(signalbox-project:[^"\n]+)"/g;

/** The marked paths of a built module become relative to it. `toProject` is the path from its folder to the project. */
export function placePaths(module: Uint8Array, toProject: string): Uint8Array {
  const bytes = Buffer.from(module.buffer, module.byteOffset, module.byteLength);
  if (!bytes.includes(pathPrefix)) return module;
  const placed = bytes
    .toString()
    .replaceAll(marked, (_, specifier: string) => JSON.stringify(placePath(specifier, toProject)));
  return Buffer.from(placed);
}

/** A specifier in built code; a marked path becomes relative. */
export function placePath(specifier: string, toProject: string): string {
  if (!specifier.startsWith(pathPrefix)) return specifier;
  return posix.join(toPosix(toProject), specifier.slice(pathPrefix.length));
}

function findMain(name: string, projectDir: string): string | null {
  try {
    return createRequire(join(projectDir, "index.js")).resolve(name);
  } catch {
    return null;
  }
}

const packageSchema = z.object({ exports: z.unknown().optional() });

function readPackage(folder: string): z.infer<typeof packageSchema> {
  const file = join(folder, "package.json");
  return existsSync(file) ? packageSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : {};
}

function toPosix(path: string): string {
  return path.split(sep).join("/");
}
