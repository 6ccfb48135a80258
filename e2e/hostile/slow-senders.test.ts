import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { findOrInstall } from "../../scripts/test-tools.ts";
import { startBystander } from "./bystander.ts";
import { startHostileService } from "./hostile-service.ts";
import { exchange } from "./raw-exchange.ts";

it("five hundred slow senders of headers and bodies do not delay other senders and use little memory; headers that do not end get 408, and their connection is closed", async () => {
  const program = findOrInstall("slowhttptest");
  const service = await startHostileService();
  // It has 15 seconds, however steadily it drips; most of them pass beside the others.
  const endless = exchange(
    service.port,
    `POST /triggers/signup?token=${service.key} HTTP/1.1\r\nHost: x\r\nX-Slow: a`,
    { drip: "a", patienceMs: 60_000 },
  );
  const common = [
    "-c",
    "250",
    "-r",
    "250",
    "-i",
    "2",
    "-l",
    "12",
    "-x",
    "24",
    "-p",
    "5",
    "-t",
    "POST",
    "-u",
    `${service.url}/triggers/signup?token=${service.key}`,
  ];
  const attacks = [
    runToEnd(program, ["-H", ...common]),
    runToEnd(program, ["-B", "-s", "8192", "-f", "application/json", ...common]),
  ];
  const bystander = startBystander(service);
  const reports = await Promise.all(attacks);
  const statuses = await bystander.finish();
  // Each of the five hundred was connected, and its request left open.
  for (const report of reports) expect(maxConnected(report), report.slice(-2000)).toBe(250);
  expect(new Set(statuses)).toEqual(new Set([202]));
  expect(statuses.length).toBeGreaterThan(20);
  expect(service.peakMemoryMb()).toBeLessThan(700);
  const [late, ...others] = await endless;
  expect([late?.status, others]).toEqual([408, []]);
  expect(late?.head).toMatch(/^connection: close\r?$/im);
  // Nothing but the webhooks of the bystander has started a run.
  expect(await service.countRuns()).toBe(statuses.length);
});

function runToEnd(program: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.once("error", reject);
    // "exit" may come before the last output.
    child.once("close", () => resolve(output));
  });
}

function maxConnected(report: string): number {
  // Its report is in colours.
  return Math.max(
    0,
    ...Array.from(stripVTControlCharacters(report).matchAll(/connected:\s+(\d+)/g), ([, count]) => Number(count)),
  );
}
