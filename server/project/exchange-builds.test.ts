import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeProject } from "../../cli/build/testing/make-project.ts";
import { exchangeBuilds } from "./exchange-builds.ts";

/** A machine with these builds; the last one is current. */
function machine(...versions: string[]): { stateDir: string; version: string } {
  const stateDir = join(makeProject(), ".signalbox");
  for (const version of versions) {
    mkdirSync(join(stateDir, "builds", version, "code"), { recursive: true });
    writeFileSync(join(stateDir, "builds", version, "manifest.json"), version);
    writeFileSync(join(stateDir, "builds", version, "code/a.mjs"), `code of ${version}`);
  }
  return { stateDir, version: versions.at(-1) ?? "" };
}

const buildsOf = ({ stateDir }: { stateDir: string }) => readdirSync(join(stateDir, "builds")).sort();

test("a new machine gets the builds of the machines before it", async () => {
  const buildsDir = join(makeProject(), "kept");
  const machines = [machine("v1"), machine("v2"), machine("v3")];
  for (const one of machines) await exchangeBuilds({ ...one, buildsDir });
  expect(machines.map(buildsOf)).toEqual([["v1"], ["v1", "v2"], ["v1", "v2", "v3"]]);
  const file = join(machines[2]?.stateDir ?? "", "builds/v1/code/a.mjs");
  expect(readFileSync(file, "utf8")).toBe("code of v1");
});

test("machines that start at the same time get complete builds, and an unfinished copy is ignored", async () => {
  const buildsDir = join(makeProject(), "kept");
  await exchangeBuilds({ ...machine("v1"), buildsDir });
  mkdirSync(join(buildsDir, "half"));
  mkdirSync(join(buildsDir, ".draft-1"));
  const machines = Array.from({ length: 5 }, () => machine("v2"));
  await Promise.all(machines.map((one) => exchangeBuilds({ ...one, buildsDir })));
  expect(machines.map(buildsOf)).toEqual(machines.map(() => ["v1", "v2"]));
  expect(readdirSync(buildsDir).sort()).toEqual([".draft-1", "half", "v1", "v2"]);
});
