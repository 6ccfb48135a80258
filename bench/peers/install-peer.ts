import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder } from "../service/package-of-commit.ts";

/** The npm packages that are measured beside us. Pinned, because other versions have other results. */
export const peerPackages = {
  "node-red": { "node-red": "5.0.7" },
  n8n: { n8n: "2.41.1" },
  restate: { "@restatedev/restate-server": "1.7.12", "@restatedev/restate-sdk": "1.17.2" },
} as const;

/**
 * The packages of a peer that must be compiled. The connectors of n8n are left out, because not every machine has the
 * compilers.
 */
const compiled: Partial<Record<PeerName, readonly string[]>> = { n8n: ["sqlite3", "isolated-vm"] };
/** A transitive dependency of n8n that not every registry has. Webhooks do not need it. */
const overrides = { cssomnom: "npm:cssom@0.5.0" };
const installWithinMs = 30 * 60_000;

export type PeerName = keyof typeof peerPackages;

/**
 * Returns the folder with a peer's `node_modules`, and installs it if necessary. Throws with the output of npm. A
 * failed installation is not tried again.
 */
export function rememberInstalls(): (name: PeerName) => string {
  const known = new Map<PeerName, { folder: string } | { error: unknown }>();
  return (name) => {
    const result = known.get(name) ?? tryInstall(name);
    known.set(name, result);
    if ("error" in result) throw result.error;
    return result.folder;
  };
}

function tryInstall(name: PeerName): { folder: string } | { error: unknown } {
  try {
    return { folder: installPeer(name) };
  } catch (error) {
    return { error };
  }
}

function installPeer(name: PeerName): string {
  const folder = join(cacheFolder, "peers", name);
  const packages = peerPackages[name];
  if (Object.entries(packages).every(([id, version]) => versionIn(folder, id) === version)) return folder;
  console.error(`installing ${name} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "peer", private: true, overrides }));
  const wanted = Object.entries(packages).map(([id, version]) => `${id}@${version}`);
  try {
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
    const npm = (...args: string[]) =>
      execFileSync("npm", args, {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "pipe"],
        encoding: "utf8",
        timeout: installWithinMs,
      });
    const only = compiled[name];
    npm("install", "--no-audit", "--no-fund", ...(only ? ["--ignore-scripts"] : []), ...wanted);
    if (only) npm("rebuild", ...only);
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    const errors = said.split("\n").filter((line) => /npm (error|ERR!)/.test(line));
    throw new Error(`npm cannot install ${wanted.join(" ")}: ${errors.slice(0, 3).join(" ") || said.slice(0, 300)}`, {
      cause: error,
    });
  }
  return folder;
}

function versionIn(folder: string, id: string): string | null {
  const file = join(folder, "node_modules", id, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version : null;
}
