import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "playwright";

/**
 * The path of a Chromium for the browser tests: `CHROMIUM_PATH`, Playwright's own, Debian's, else it is installed: by
 * Playwright's installer, else by apt-get. Throws when none can be had.
 */
export function findOrInstallBrowser(): string {
  const found = findBrowser();
  if (found) return found;
  console.log("No Chromium was found; installing one for the browser tests.");
  for (const [command, args] of installers()) {
    const result = spawnSync(command, args, { stdio: "inherit", timeout: 600_000 });
    const installed = result.status === 0 ? findBrowser() : null;
    if (installed) return installed;
  }
  throw new Error("No Chromium for the browser tests: install one (apt-get install chromium), or set CHROMIUM_PATH to one.");
}

function findBrowser(): string | null {
  const given = process.env["CHROMIUM_PATH"];
  if (given) {
    if (existsSync(given)) return given;
    throw new Error(`CHROMIUM_PATH names ${given}, and there is no such file.`);
  }
  return [chromium.executablePath(), "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => path && existsSync(path)) ?? null;
}

function installers(): [string, string[]][] {
  return [
    [process.execPath, ["node_modules/playwright/cli.js", "install", "chromium"]],
    ["sh", ["-c", "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium"]],
  ];
}
