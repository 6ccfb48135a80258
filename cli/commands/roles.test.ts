import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runFakeCli } from "./testing/fake-host.ts";

function aBuiltProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-roles-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, ".signalbox"));
  const manifest = {
    format: 1,
    version: "v",
    builtAt: "2026-11-21T09:00:00Z",
    name: "p",
    folder: "builds/v",
    sources: "s.js",
    settings: {},
    triggers: [],
    workflows: [],
  };
  writeFileSync(join(folder, ".signalbox", "manifest.json"), JSON.stringify(manifest));
  return folder;
}

it.each([
  [["start", "--role", "web"], "`signalbox start --role web`"],
  [["start", "--role", "worker"], "`signalbox worker`"],
  [["worker"], "`signalbox worker`"],
])("%j is rejected with SQLite: several machines need a shared store", async (line, what) => {
  const folder = aBuiltProject();
  const { exitCode, stdout, stderr } = await runFakeCli([...line, "--project", folder]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    `${what} needs a store that several machines share, but this store is a file (${join(folder, ".signalbox/signalbox.db")}). Set SIGNALBOX_DATABASE_URL=postgres://`,
  );
  expect(stdout).toBe("");
});
