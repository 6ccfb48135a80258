import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import picomatch from "picomatch";
import { parse } from "yaml";
import { z } from "zod";

/** A project inside a workspace of npm, pnpm, Yarn or Bun. */
export interface Workspace {
  /** Absolute path of the folder with the lockfile. */
  root: string;
  /** The project below the root, with `/`: `packages/hooks`. Empty if the root itself is the project. */
  path: string;
  /** The root below that of its Git repository, as `pathInRepository` has it. */
  inRepository: string;
  manager: PackageManager;
  /** Whether the root's package.json fixes the version of the package manager. */
  isPinned: boolean;
  /** Whether Yarn writes no `node_modules`. */
  isPlugAndPlay: boolean;
}

/** `yarn-classic` is Yarn 1. */
export type PackageManager = "npm" | "pnpm" | "yarn" | "yarn-classic" | "bun";

const patterns = z.array(z.string());
const rootPackageSchema = z.looseObject({
  workspaces: z.union([patterns, z.object({ packages: patterns }).transform(({ packages }) => packages)]).optional(),
  packageManager: z.string().optional(),
});
const pnpmWorkspaceSchema = z.object({ packages: patterns.optional() });

/**
 * The workspace of which the project is a package or the root. Like the package managers, it looks in the project's
 * folder and in all folders above. The folder of the project may be missing. `null`: the project is in no workspace.
 */
export function findWorkspace(projectDir: string): Workspace | null {
  const project = existsSync(projectDir) ? realpathSync(projectDir) : projectDir;
  const root = listUpwards(project).find((folder) => isPackageOf(project, folder));
  if (root === undefined) return null;
  const { packageManager } = readPackage(root);
  const manager = findManager(root, packageManager);
  return {
    root,
    path: pathBelow(root, project),
    inRepository: pathInRepository(root),
    manager,
    isPinned: packageManager !== undefined,
    isPlugAndPlay: manager === "yarn" && hasPlugAndPlay(root),
  };
}

/** A folder below the root of its Git repository, with `/`. Empty if it is the root, or in no repository. */
export function pathInRepository(folder: string): string {
  const root = listUpwards(folder).find((each) => existsSync(join(each, ".git")));
  return root === undefined ? "" : pathBelow(root, folder);
}

function listUpwards(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...listUpwards(parent)];
}

function pathBelow(root: string, folder: string): string {
  return relative(root, folder).split(sep).join("/");
}

function isPackageOf(project: string, root: string): boolean {
  const path = pathBelow(root, project);
  const fromPnpm = readPnpmPatterns(root);
  const globs = (fromPnpm ?? readPackage(root).workspaces ?? []).map((glob) => ({
    isNegative: glob.startsWith("!"),
    isMatch: picomatch(
      glob
        .replace(/^!/, "")
        .replace(/^\.?\/+/, "")
        .replace(/\/+$/, ""),
    ),
  }));
  if (globs.length === 0 || path.split("/").includes("node_modules")) return false;
  if (path === "") return true;
  const matching = globs.filter(({ isMatch }) => isMatch(path));
  // The order of the patterns does not matter to pnpm; the others let the last pattern decide.
  return fromPnpm
    ? matching.length > 0 && matching.every(({ isNegative }) => !isNegative)
    : matching.at(-1)?.isNegative === false;
}

function readPnpmPatterns(root: string): string[] | null {
  const text = readIfThere(join(root, "pnpm-workspace.yaml"));
  return text === null ? null : (parseOr(pnpmWorkspaceSchema, () => parse(text))?.packages ?? null);
}

/** Without fields if there is none or it is invalid: then it makes no workspace. */
function readPackage(root: string): z.infer<typeof rootPackageSchema> {
  const text = readIfThere(join(root, "package.json"));
  return (text === null ? null : parseOr(rootPackageSchema, () => JSON.parse(text))) ?? {};
}

function findManager(root: string, packageManager: string | undefined): PackageManager {
  const [, name, major] = /^(npm|pnpm|yarn|bun)(?:@(\d+))?/.exec(packageManager ?? "") ?? [];
  const hasFile = (file: string) => existsSync(join(root, file));
  if (name === "yarn") return major === undefined ? yarnOf(root) : major === "1" ? "yarn-classic" : "yarn";
  if (name === "npm" || name === "pnpm" || name === "bun") return name;
  if (hasFile("pnpm-lock.yaml")) return "pnpm";
  if (hasFile("yarn.lock")) return yarnOf(root);
  if (hasFile("bun.lock") || hasFile("bun.lockb")) return "bun";
  if (hasFile("package-lock.json")) return "npm";
  return hasFile("pnpm-workspace.yaml") ? "pnpm" : hasFile(".yarnrc.yml") ? "yarn" : "npm";
}

function yarnOf(root: string): "yarn" | "yarn-classic" {
  const isModern =
    existsSync(join(root, ".yarnrc.yml")) || /^__metadata:/m.test(readIfThere(join(root, "yarn.lock")) ?? "");
  return isModern ? "yarn" : "yarn-classic";
}

/** Yarn's default since version 2. */
function hasPlugAndPlay(root: string): boolean {
  return !/^nodeLinker:\s*["']?(?:node-modules|pnpm)\b/m.test(readIfThere(join(root, ".yarnrc.yml")) ?? "");
}

function readIfThere(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

function parseOr<T>(schema: z.ZodType<T>, read: () => unknown): T | null {
  try {
    return schema.parse(read());
  } catch {
    return null;
  }
}
