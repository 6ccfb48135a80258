import { spawnSync } from "node:child_process";

/** The program that sends as slowly as it can, for the test of slow senders; installed by apt-get when it is missing. Throws when it cannot be had. */
export function findOrInstallSlowhttptest(): string {
  if (isThere()) return "slowhttptest";
  console.log("No slowhttptest was found; installing it for the test of slow senders.");
  spawnSync("sh", ["-c", "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slowhttptest"], { stdio: "inherit", timeout: 300_000 });
  if (isThere()) return "slowhttptest";
  throw new Error("No slowhttptest for the test of slow senders: install it (apt-get install slowhttptest).");
}

function isThere(): boolean {
  return spawnSync("sh", ["-c", "command -v slowhttptest"]).status === 0;
}
