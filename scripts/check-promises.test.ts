import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkPromises, titlesOf } from "./check-promises.ts";

const repository = join(import.meta.dirname, "..");
const page = readFileSync(join(repository, "docs/promises.md"), "utf8");

describe("docs/promises.md", () => {
  it("names for each promise the tests behind it, and all of them are there", () => {
    expect(checkPromises(page, repository)).toEqual([]);
  });

  it("promises something", () => {
    expect(page.match(/^- /gm)?.length).toBeGreaterThan(30);
  });
});

describe("docs/threat-model.md", () => {
  it("names for each defence the tests behind it, and all of them are there", () => {
    const model = readFileSync(join(repository, "docs/threat-model.md"), "utf8");
    expect(checkPromises(model, repository)).toEqual([]);
    expect(model.match(/^ {2}- /gm)?.length).toBeGreaterThan(20);
  });
});

const self = "scripts/check-promises.test.ts";
const link = `[\`${self}\`](../${self})`;
const made = (...lines: string[]) =>
  checkPromises(["# Promises", "", "Words before.", "", "## Accepting", "", ...lines].join("\n"), repository);

describe("the check of promises", () => {
  it("is content with a promise whose test is there", () => {
    expect(made("- It holds.", `  - ${link}: "promises something"`)).toEqual([]);
    expect(made("- It holds.", `  - ${link}: "docs/promises.md › promises something"`)).toEqual([]);
  });

  it.each([
    ["a promise without a test", ["- It holds."], '7: no test is named for "It holds.…"'],
    [
      "a title that is not there",
      ["- It holds.", `  - ${link}: "promises the moon"`],
      `8: ${self} has no test "promises the moon"`,
    ],
    [
      "a group that is not there",
      ["- It holds.", `  - ${link}: "docs › promises something"`],
      `8: ${self} has no test "docs › promises something"`,
    ],
    [
      "a file that is not there",
      ["- It holds.", '  - [`e2e/no.test.ts`](../e2e/no.test.ts): "x"'],
      "8: e2e/no.test.ts is not there",
    ],
    [
      "a file that holds no tests",
      ["- It holds.", '  - [`README.md`](../README.md): "x"'],
      "8: README.md is not a file of tests",
    ],
    [
      "a link to another file than it says",
      ["- It holds.", `  - [\`${self}\`](../e2e/no.test.ts): "promises something"`],
      "8: this is neither a promise nor the name of a test",
    ],
    ["a promise outside of the list", ["It holds, always."], "7: this is neither a promise nor the name of a test"],
    ["an empty page", [], "1: the page promises nothing"],
  ])("finds %s", (_, lines, fault) => {
    expect(made(...lines)).toContainEqual(expect.stringContaining(fault));
  });

  it("asks for no tests where nothing is promised", () => {
    expect(
      made("- It holds.", `  - ${link}: "promises something"`, "", "## What is not promised", "", "- Latency."),
    ).toEqual([]);
  });

  it("finds titles however the test is written, and none that is skipped, commented out or no test", () => {
    expect(titlesOf(`it("a", () => {})`)).toEqual(["a"]);
    expect(titlesOf("test.concurrent(\n  `for ${n} s`,\n async () => {})")).toEqual(["for … s"]);
    expect(titlesOf(`it.each([[1], [2]])("has %s of $name", () => {})`)).toEqual(["has … of …"]);
    expect(titlesOf(`it("says \\"no\\"", () => {})`)).toEqual(['says "no"']);
    expect(titlesOf(`it.skip("a", () => {}); it.todo("b", 1); describe("c", () => {}); expect("d", "e");`)).toEqual([]);
    expect(titlesOf(`  // it("a", () => {})`)).toEqual([]);
  });
});
