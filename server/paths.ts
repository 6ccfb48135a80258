import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** The folder of the signalbox package itself: the repository, or node_modules/signalbox. */
export const packageRoot = findPackageRoot(dirname(fileURLToPath(import.meta.url)));

/** Whether this process runs from TypeScript sources rather than from the published `dist/`. */
export const isSource = import.meta.url.endsWith(".ts");

const packageSchema = z.object({ version: z.string() });

/** The version of this signalbox. */
export function packageVersion(): string {
  return packageSchema.parse(JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"))).version;
}

const entries = {
  cli: "cli/main",
  receiver: "server/processes/receiver/receiver",
  web: "server/processes/web/web",
  worker: "server/processes/worker/worker",
  "input-checker": "server/processes/input-checks/input-checker",
  "local-api": "server/processes/web/local-api",
  evaluate: "cli/build/evaluate",
  "backtest-thread": "cli/commands/triggers/backtest/thread",
  "event-loop-watcher": "server/processes/event-loop/event-loop-watcher",
  "regex-thread": "cli/build/schema/regex-thread",
} as const;

/** Absolute path of the file that starts a process or a thread. */
export function entryFile(name: keyof typeof entries): string {
  return isSource ? join(packageRoot, `${entries[name]}.ts`) : join(packageRoot, "dist", `${name}.js`);
}

/** What users import: `signalbox/<entry>`. */
export const sdkEntries = [
  "trigger",
  "workflow",
  "agent",
  "verify",
  "sources/github",
  "sources/shopify",
  "sources/slack",
  "sources/stripe",
  "sources/twilio",
  "client",
  "config",
] as const;

/** Absolute path of the module behind `signalbox/<entry>`. */
export function sdkFile(entry: (typeof sdkEntries)[number]): string {
  return isSource ? join(packageRoot, "sdk", entry, "index.ts") : join(packageRoot, "dist", "sdk", `${entry}.js`);
}

/**
 * The module that finds dangerous regular expressions (`recheck`, in its plain JavaScript form): 3 MB, loaded only when
 * an expression must be checked.
 */
export function regexCheckerFile(): string {
  return isSource
    ? createRequire(import.meta.url).resolve("recheck/lib/browser.js")
    : join(packageRoot, "dist", "recheck.cjs");
}

/** Folder of the migrations of one database. */
export function migrationsFolder(dialect: "sqlite" | "postgres"): string {
  return join(packageRoot, "drizzle", dialect);
}

/** Folder of the example project that `signalbox init` copies. */
export function starterFolder(): string {
  return join(packageRoot, "examples", "starter");
}

function findPackageRoot(from: string): string {
  if (existsSync(join(from, "package.json"))) return from;
  const parent = dirname(from);
  if (parent === from)
    throw new Error("The signalbox package is incomplete: its package.json is missing. Install it again.");
  return findPackageRoot(parent);
}
