import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorPages, errorPagesFolder } from "./write-error-pages.ts";

describe("docs/errors", () => {
  it("has a page for every error code, and no other", () => {
    expect(readdirSync(errorPagesFolder).sort()).toEqual([...errorPages().keys()].sort());
  });

  it.each([...errorPages()])("%s says what the table says (else: node scripts/write-error-pages.ts)", (name, text) => {
    expect(readFileSync(join(errorPagesFolder, name), "utf8")).toBe(text);
  });
});
