import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runTsc, type CompilerError } from "./testing/run-tsc.ts";

const folder = join(import.meta.dirname, "type-errors");

interface WrongUse {
  file: string;
  line: number;
  says: string;
  /** The column of the word in `error at …`; `null`: any. */
  column: number | null;
}

const wrongUses = readdirSync(folder)
  .filter((name) => name.endsWith(".ts"))
  .flatMap((name) => findWrongUses(join(folder, name)));

describe("an incorrect use of the SDK", () => {
  let errors: CompilerError[] = [];
  beforeAll(() => {
    errors = runTsc(folder);
  });

  it.each(wrongUses)("is an error on its own line with an explanation: $says", ({ file, line, says, column }) => {
    const found = errors.filter((error) => error.file === file && error.line === line);
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toContain(says);
    expect(found[0]?.column).toBe(column ?? found[0]?.column);
  });

  it("causes no error on any other line", () => {
    const expected = new Set(wrongUses.map(({ file, line }) => `${file}:${line}`));
    expect(wrongUses.length).toBeGreaterThan(10);
    expect(errors.filter(({ file, line }) => !expected.has(`${file}:${line}`))).toEqual([]);
  });
});

/** The lines that end with `// error: …`, or with `// error at <word>: …`. */
function findWrongUses(file: string): WrongUse[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((text, index) => {
      const [, code = "", word, says] = /^(\s*\S.*) \/\/ error(?: at (\S+))?: (.+)$/.exec(text) ?? [];
      if (says === undefined || text.startsWith("//")) return [];
      return [{ file, line: index + 1, says, column: word === undefined ? null : code.lastIndexOf(word) + 1 }];
    });
}
