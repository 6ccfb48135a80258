/** "The path of a webhook" in CONTRIBUTING.md, next to the imports of the processes that a webhook passes. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const repository = join(import.meta.dirname, "..");
const textOf = (file: string) => readFileSync(join(repository, file), "utf8");

const entryPoints = ["server/processes/receiver/receiver.ts", "server/processes/worker/worker.ts"];
const [, section = ""] = /## The path of a webhook\n([^]*?)\n## /.exec(textOf("CONTRIBUTING.md")) ?? [];
const listed = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = ""]) => file);

describe("the path of a webhook in CONTRIBUTING.md", () => {
  it("has at most 45 files, each once, numbered in order", () => {
    expect(listed.length).toBeGreaterThan(30);
    expect(listed.length).toBeLessThanOrEqual(45);
    expect(new Set(listed).size).toBe(listed.length);
    const numbers = [...section.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual(listed.map((_, at) => at + 1));
  });

  it("names files that exist and that the two processes load", () => {
    const named = [...section.matchAll(/`(server\/[^`]+\.ts)`/g)].map(([, file = ""]) => file);
    expect(named).toEqual(expect.arrayContaining(listed));
    expect(named.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
    expect(entryPoints.filter((file) => !listed.includes(file))).toEqual([]);
    const loaded = loadedBy(entryPoints);
    expect(listed.filter((file) => !loaded.has(file))).toEqual([]);
  });
});

/** The files and all that they import, except types. */
function loadedBy(files: readonly string[]): ReadonlySet<string> {
  const loaded = new Set(files);
  for (const file of loaded) for (const imported of importsOf(file)) loaded.add(imported);
  return loaded;
}

function importsOf(file: string): string[] {
  const statements = textOf(file).matchAll(
    /^(?:import|export) (?!type\b|interface\b)[^";]*"(\.[^"]+\.ts)"|\bimport\("(\.[^"]+\.ts)"\)/gm,
  );
  return Array.from(statements, ([, fixed, dynamic]) => join(dirname(file), fixed ?? dynamic ?? ""));
}
