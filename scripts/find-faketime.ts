import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

/** The path of libfaketime, by which a test sets the clock of its processes; installed by apt-get when it is missing. Throws when it cannot be had. */
export function findOrInstallFaketime(): string {
  const found = findFaketime();
  if (found) return found;
  console.log("No libfaketime was found; installing it for the tests that set the clock.");
  spawnSync("sh", ["-c", "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libfaketime"], { stdio: "inherit", timeout: 300_000 });
  const installed = findFaketime();
  if (installed) return installed;
  throw new Error("No libfaketime for the tests that set the clock: install it (apt-get install libfaketime).");
}

function findFaketime(): string | null {
  return globSync("/usr/lib{,64}{,/*-linux-gnu*}/faketime/libfaketimeMT.so.1")[0] ?? null;
}
