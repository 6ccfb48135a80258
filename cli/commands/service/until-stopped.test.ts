import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("a second %s ends a process that is still stopping at once, with %i", async (signal, exitCode) => {
  const program = `import { untilStopped } from ${JSON.stringify(join(import.meta.dirname, "until-stopped.ts"))}; setInterval(() => {}, 1000); const stopped = untilStopped(); console.log("waiting"); await stopped; console.log("stopping");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await expect.poll(() => printed).toContain("waiting");
  child.kill(signal);
  await expect.poll(() => printed).toContain("stopping");
  // Signals shortly after the first belong to the same key press.
  const pressing = setInterval(() => child.kill(signal), 50);
  onTestFinished(() => clearInterval(pressing));
  expect(await ended).toEqual([exitCode, null]);
});
