import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkPromises, titlesOf } from "./check-promises.ts";

const repository = join(import.meta.dirname, "..");
const page = readFileSync(join(repository, "docs/promises.md"), "utf8");

describe("docs/promises.md", () => {
  it("names existing tests for each guarantee", () => {
    expect(checkPromises(page, repository)).toEqual([]);
  });

  it("has guarantees", () => {
    expect(page.match(/^- /gm)?.length).toBeGreaterThan(30);
  });
});

describe("docs/threat-model.md", () => {
  it("names existing tests for each defence", () => {
    const model = readFileSync(join(repository, "docs/threat-model.md"), "utf8");
    expect(checkPromises(model, repository)).toEqual([]);
    expect(model.match(/^ {2}- /gm)?.length).toBeGreaterThan(20);
  });
});

const self = "scripts/check-promises.test.ts";
const link = `[\`${self}\`](../${self})`;
const made = (...lines: string[]) =>
  checkPromises(["# Promises", "", "Words before.", "", "## Accepting", "", ...lines].join("\n"), repository);

describe("checkPromises", () => {
  it("accepts a guarantee whose test exists", () => {
    expect(made("- It is so.", `  - ${link}: "has guarantees"`)).toEqual([]);
    expect(made("- It is so.", `  - ${link}: "docs/promises.md › has guarantees"`)).toEqual([]);
  });

  it.each([
    ["a promise without a test", ["- It is so."], '7: no test is named for "It is so.…"'],
    [
      "a title that is not there",
      ["- It is so.", `  - ${link}: "promises the moon"`],
      `8: ${self} has no test "promises the moon"`,
    ],
    [
      "a group that is not there",
      ["- It is so.", `  - ${link}: "docs › promises something"`],
      `8: ${self} has no test "docs › promises something"`,
    ],
    [
      "a file that is not there",
      ["- It is so.", '  - [`e2e/no.test.ts`](../e2e/no.test.ts): "x"'],
      "8: e2e/no.test.ts is not there",
    ],
    [
      "a file that holds no tests",
      ["- It is so.", '  - [`README.md`](../README.md): "x"'],
      "8: README.md is not a file of tests",
    ],
    [
      "a link to another file than it says",
      ["- It is so.", `  - [\`${self}\`](../e2e/no.test.ts): "has guarantees"`],
      "8: this is neither a promise nor the name of a test",
    ],
    ["a promise outside of the list", ["It holds, always."], "7: this is neither a promise nor the name of a test"],
    ["an empty page", [], "1: the page promises nothing"],
  ])("finds %s", (_, lines, fault) => {
    expect(made(...lines)).toContainEqual(expect.stringContaining(fault));
  });

  it("requires no tests for sections without guarantees", () => {
    expect(
      made("- It is so.", `  - ${link}: "has guarantees"`, "", "## What is not promised", "", "- Latency."),
    ).toEqual([]);
  });

  it("finds the titles of all forms of tests, but not of skipped or commented-out ones", () => {
    expect(titlesOf(`it("a", () => {})`)).toEqual(["a"]);
    expect(titlesOf("test.concurrent(\n  `for ${n} s`,\n async () => {})")).toEqual(["for … s"]);
    expect(titlesOf(`it.each([[1], [2]])("has %s of $name", () => {})`)).toEqual(["has … of …"]);
    expect(titlesOf(`it("says \\"no\\"", () => {})`)).toEqual(['says "no"']);
    expect(titlesOf(`it.skip("a", () => {}); it.todo("b", 1); describe("c", () => {}); expect("d", "e");`)).toEqual([]);
    expect(titlesOf(`  // it("a", () => {})`)).toEqual([]);
  });
});
