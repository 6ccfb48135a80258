/** Every code block of the documentation is executed by a test, or says why it is not. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { pagesWithBlocks, readBlocks, testOf } from "./doc-blocks.ts";

const repository = join(import.meta.dirname, "..");
const blocks = pagesWithBlocks.flatMap(readBlocks);
const nameOf = ({ page, line, language }: { page: string; line: number; language: string }) =>
  `${page}:${line} (${language || "output"})`;

it("blocks are found", () => {
  expect(blocks.length).toBeGreaterThan(150);
  expect(blocks.filter((block) => testOf(block) !== null).length).toBeGreaterThan(blocks.length / 2);
});

it("each is executed by a test, or has a comment above it with the reason: <!-- not run: … -->", () => {
  const unmarked = blocks.filter((block) => testOf(block) === null && block.mark === null);
  expect(unmarked.map(nameOf)).toEqual([]);
});

it("the tests that are named exist and read the pages", () => {
  const named = [...new Set(blocks.flatMap((block) => testOf(block) ?? []))];
  expect(named.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
  const reading = /README\.md|docs\/|pagesWithBlocks/;
  expect(named.filter((file) => !reading.test(readFileSync(join(repository, file), "utf8")))).toEqual([]);
});

it("a block of TypeScript is never exempt", () => {
  const exempt = blocks.filter(({ language, mark }) => /^(ts|js|http)$/.test(language) && mark !== null);
  expect(exempt.map(nameOf)).toEqual([]);
});

it("JSON and YAML are valid, also where no test executes them", () => {
  const faults = blocks.flatMap((block) => {
    const text = block.text.replaceAll("…", "x");
    if (block.language === "yaml") return parseAllDocuments(text).flatMap(({ errors }) => errors.map(String));
    if (block.language !== "json") return [];
    try {
      JSON.parse(text);
      return [];
    } catch (error) {
      return [`${nameOf(block)}: ${String(error)}`];
    }
  });
  expect(faults).toEqual([]);
});
