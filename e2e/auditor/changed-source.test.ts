import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "./audited-project.ts";
import { changeSource } from "./changed-source.ts";
import { shortLeases } from "./lateness.ts";
import { mutants, noFencing } from "./mutants.ts";
import { postgresMutants } from "./postgres-mutants.ts";

it("the code that a mutant changes is in the current sources once, and differs afterwards", () => {
  for (const change of [
    ...[...Object.values(mutants), ...Object.values(postgresMutants)].flatMap(({ audit }) => audit.changes),
    ...noFencing,
    ...shortLeases,
  ]) {
    const source = readFileSync(join(repository, change.file), "utf8");
    expect(changeSource(source, change)).not.toBe(source);
  }
});

it("a change of code that is missing, or is there twice, throws", () => {
  const change = { file: "x.ts", find: "guard();", replace: "" };
  expect(() => changeSource("nothing", change)).toThrow("x.ts has 0 times");
  expect(() => changeSource("guard(); guard();", change)).toThrow("x.ts has 2 times");
});
