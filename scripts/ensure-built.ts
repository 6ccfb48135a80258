import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const sources = [
  "{app,cli,components,sdk,server,testing}/**/*.{ts,tsx,css,svg}",
  "scripts/{build,bundle}.ts",
  "proxy.ts",
  "instrumentation-client.ts",
  "next.config.mjs",
  "package.json",
  "package-lock.json",
];
const notBuilt = ["**/*.test.{ts,tsx}", "**/testing/**", "**/golden/**", "**/.signalbox/**"];

/**
 * Global setup of the tests that start the product: they run `dist/`, as users do. Builds it when a source file is
 * newer.
 */
export function setup(): void {
  const builtAt = statSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newer = globSync(sources, { cwd: root, exclude: notBuilt }).find(
    (path) => statSync(join(root, path)).mtimeMs > builtAt,
  );
  if (!newer) return;
  console.log(`${newer} is newer than dist/: building.`);
  execFileSync(process.execPath, [join(root, "scripts/build.ts")], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
}
