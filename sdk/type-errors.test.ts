import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runTsc, type CompilerError } from "./testing/run-tsc.ts";

const folder = join(import.meta.dirname, "type-errors");

interface WrongUse {
  file: string;
  line: number;
  says: string;
}

const wrongUses = readdirSync(folder)
  .filter((name) => name.endsWith(".ts"))
  .flatMap((name) => findWrongUses(join(folder, name)));

describe("an incorrect use of the SDK", () => {
  let errors: CompilerError[] = [];
  beforeAll(() => {
    errors = runTsc(folder);
  });

  it.each(wrongUses)("is an error on its own line with an explanation: $says", ({ file, line, says }) => {
    const messages = errors.filter((error) => error.file === file && error.line === line).map((error) => error.message);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(says);
  });

  it("causes no error on any other line", () => {
    const expected = new Set(wrongUses.map(({ file, line }) => `${file}:${line}`));
    expect(wrongUses.length).toBeGreaterThan(10);
    expect(errors.filter(({ file, line }) => !expected.has(`${file}:${line}`))).toEqual([]);
  });
});

/** The lines that end with `// error: …`. */
function findWrongUses(file: string): WrongUse[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((text, index) => {
      const says = /\S.* \/\/ error: (.+)$/.exec(text)?.[1];
      return says === undefined || text.startsWith("//") ? [] : [{ file, line: index + 1, says }];
    });
}
