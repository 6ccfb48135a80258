import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorPages, errorPagesFolder } from "./write-error-pages.ts";

describe("docs/errors", () => {
  it("has one page for each error code", () => {
    expect(readdirSync(errorPagesFolder).sort()).toEqual([...errorPages().keys()].sort());
  });

  it.each([...errorPages()])("%s is up to date (if not, run node scripts/write-error-pages.ts)", (name, text) => {
    expect(readFileSync(join(errorPagesFolder, name), "utf8")).toBe(text);
  });

  it("names the owner of the service where the owner can fix the cause", () => {
    const ownersPart =
      /signalbox (?:keys|triggers|doctor)|signalbox\.config|SIGNALBOX_|[Dd]eploy|`dedupe`|\bsecret\b|\bbackup\b/;
    const owners = [...errorPages()].filter(
      ([name, text]) => name !== "README.md" && ownersPart.test(text.split("## What to do")[1] ?? ""),
    );
    expect(owners.length).toBeGreaterThan(8);
    expect(owners.filter(([, text]) => text.includes("change it first")).map(([name]) => name)).toEqual([]);
  });
});
