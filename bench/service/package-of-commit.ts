import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { packageRoot } from "../../server/paths.ts";

/** Outside the repository: packages and other products that were installed once. */
export const cacheFolder = join(homedir(), ".cache/signalbox-bench");

/**
 * A folder whose `node_modules` has the package as users get it, made of the last commit by `npm pack` and installed by
 * npm, beside Zod. Created once for a commit, without uncommitted changes.
 */
export function installPackageOf(commit: string): string {
  const folder = join(cacheFolder, "packages", commit);
  if (existsSync(folder)) return folder;
  console.error(`packing ${commit} …`);
  const clone = mkdtempSync(join(dirname(ensureFolder(folder)), "clone-"));
  try {
    sh("git", ["clone", "--quiet", "--shared", packageRoot, "."], clone);
    sh("git", ["checkout", "--quiet", commit], clone);
    copyModules(clone);
    // Writes the generated sources, as `npm ci` does. Commits of old have no such script.
    sh("npm", ["run", "--if-present", "dependencies"], clone);
    sh("npm", ["pack", "--pack-destination", clone], clone);
    const tarball = readdirSync(clone).find((name) => /^signalbox-.*\.tgz$/.test(name));
    if (!tarball) throw new Error(`npm pack made no tarball in ${clone}`);
    const installed = join(clone, "installed");
    mkdirSync(installed);
    writeFileSync(join(installed, "package.json"), `{ "name": "bench", "private": true }\n`);
    sh("npm", ["install", "--no-audit", "--no-fund", join(clone, tarball), "zod"], installed);
    renameSync(installed, folder);
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
  return folder;
}

/** Links the packages of another folder into a project. */
export function linkModules(project: string, from: string): void {
  symlinkSync(join(from, "node_modules"), join(project, "node_modules"));
}

/**
 * As hard links where the file system can, which takes a moment and no space. Next does not follow a symbolic link out
 * of its folder.
 */
function copyModules(clone: string): void {
  const from = join(packageRoot, "node_modules");
  try {
    sh("cp", ["-al", from, clone], clone);
  } catch {
    rmSync(join(clone, "node_modules"), { recursive: true, force: true });
    sh("cp", ["-R", from, clone], clone);
  }
}

function ensureFolder(folder: string): string {
  mkdirSync(dirname(folder), { recursive: true });
  return folder;
}

function sh(command: string, args: string[], cwd: string): void {
  try {
    execFileSync(command, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` },
    });
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).slice(-2_000) : "";
    throw new Error(`${command} ${args.join(" ")} failed:\n${said}`, { cause: error });
  }
}
