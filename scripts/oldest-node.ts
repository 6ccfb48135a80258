import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const root = join(import.meta.dirname, "..");

/**
 * The path of the oldest Node that `engines` of package.json allows. npm installs it into the cache of the checkout, as
 * it installs the current one. Throws when it cannot be installed.
 */
export function installOldestNode(): string {
  const version = readOldestVersion();
  const folder = join(root, "node_modules/.cache/oldest-node", version);
  const program = join(folder, "node_modules/node/bin/node");
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    // The package has a script that gets the program for this system.
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, allowScripts: { node: true } }));
    run("npm", ["install", "--no-audit", "--no-fund", `node@${version}`], folder);
  }
  const found = run(program, ["--version"], folder).trim();
  if (found !== `v${version}`) throw new Error(`${program} is Node ${found}, but must be v${version}.`);
  return program;
}

/** The first version of a range such as `>=22.18`. */
function readOldestVersion(): string {
  const { engines } = z
    .object({ engines: z.object({ node: z.string().regex(/^>=\d+\.\d+$/) }) })
    .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  return `${engines.node.slice(2)}.0`;
}

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(" ")} failed in ${cwd}:\n${error?.message ?? stdout + stderr}`);
}
