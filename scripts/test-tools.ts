import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { chromium } from "playwright";

/** A program that tests use and npm cannot bring. `find` returns its path, or null. */
interface TestTool {
  debianPackage: string;
  usedFor: string;
  find(): string | null;
}

const tools = {
  chromium: { debianPackage: "chromium-headless-shell", usedFor: "the browser tests", find: findBrowser },
  postgres: {
    debianPackage: "postgresql",
    usedFor: "the tests of the Postgres store (version 15 or later)",
    find: findPostgres,
  },
  pgbouncer: {
    debianPackage: "pgbouncer",
    usedFor: "the tests behind a pooler",
    find: () => findProgram("pgbouncer"),
  },
  openssl: { debianPackage: "openssl", usedFor: "the tests with certificates", find: () => findProgram("openssl") },
  strace: {
    debianPackage: "strace",
    usedFor: "the tests that watch and fail system calls",
    find: () => findProgram("strace"),
  },
  libfaketime: { debianPackage: "libfaketime", usedFor: "the tests that set the clock", find: findFaketime },
  slowhttptest: {
    debianPackage: "slowhttptest",
    usedFor: "the test of slow senders",
    find: () => findProgram("slowhttptest"),
  },
} satisfies Record<string, TestTool>;

export type TestToolName = keyof typeof tools;

/**
 * The path of a tool: of the program, of the library (`libfaketime`), or of the folder of its programs (`postgres`).
 * Installs it with apt-get when it is missing. Throws when it cannot be installed.
 */
export function findOrInstall(name: TestToolName): string {
  installMissing([name]);
  const path = tools[name].find();
  if (path) return path;
  const { debianPackage, usedFor } = tools[name];
  throw new Error(
    `${name} is missing. It is needed for ${usedFor}. Install it (apt-get install ${debianPackage})${name === "chromium" ? ", or set CHROMIUM_PATH" : ""}.`,
  );
}

/** Installs all missing tools at once, before tests that run in parallel would each try to. */
export function installMissing(names: readonly TestToolName[] = Object.keys(tools) as TestToolName[]): void {
  const missing = names.filter((name) => tools[name].find() === null);
  if (missing.length === 0) return;
  console.log(`Installing ${missing.join(", ")} for the tests.`);
  // Debian's postgresql would make and start a cluster of its own.
  const noCluster =
    "mkdir -p /etc/postgresql-common && [ -e /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf";
  const packages = missing.map((name) => tools[name].debianPackage).join(" ");
  const install = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${packages}`;
  const result = spawnSync("sh", ["-c", `${noCluster}; ${install}`], { encoding: "utf8", timeout: 600_000 });
  if (result.status !== 0) console.error(`apt-get could not install ${packages}:\n${result.stdout}${result.stderr}`);
}

/**
 * In this order: `CHROMIUM_PATH`, Playwright's own, the system's; the headless shell needs less CPU than the full
 * browser.
 */
function findBrowser(): string | null {
  const given = process.env["CHROMIUM_PATH"];
  if (given) {
    if (existsSync(given)) return given;
    throw new Error(`CHROMIUM_PATH is set to ${given}, and that file does not exist.`);
  }
  return (
    [
      chromium.executablePath(),
      "/usr/bin/chromium-headless-shell",
      "/usr/bin/chromium",
      "/usr/bin/chromium-browser",
      "/usr/bin/google-chrome",
    ].find((path) => path && existsSync(path)) ?? null
  );
}

const minPostgresVersion = 15;

function findPostgres(): string | null {
  const folders = globSync([
    "/usr/lib/postgresql/*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
  ]);
  const usable = folders.filter((folder) => versionOf(folder) >= minPostgresVersion && existsSync(`${folder}/initdb`));
  return usable.toSorted((a, b) => versionOf(b) - versionOf(a))[0] ?? null;
}

function versionOf(folder: string): number {
  return Number(/(\d+)\/bin$/.exec(folder)?.[1]);
}

function findFaketime(): string | null {
  return globSync("/usr/lib{,64}{,/*-linux-gnu*}/faketime/libfaketimeMT.so.1")[0] ?? null;
}

function findProgram(name: string): string | null {
  const { status, stdout } = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

if (import.meta.main) installMissing();
