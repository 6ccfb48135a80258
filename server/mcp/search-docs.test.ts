import { describe, expect, it } from "vitest";
import { indexPages, searchDocs, searchIndex } from "./search-docs.ts";

describe("the documentation that ships", () => {
  it.each([
    ["verify stripe signature", "docs/senders.md"],
    ["onMismatch hold", "docs/receiving.md"],
    ["retry a step", "docs/workflows.md"],
    ["idempotency_conflict", "docs/errors/idempotency_conflict.md"],
    ["resume failed runs", "docs/recovery.md"],
    ["postgres several machines", "docs/scaling.md"],
    ["sensitive fields mask", "docs/sensitive-data.md"],
  ])("has for %j a section of %s among the first", (query, file) => {
    expect(searchDocs(query, 5).map((section) => section.file)).toContain(file);
  });

  it("has nothing for words that it does not contain", () => {
    expect(searchDocs("xylophone zzz", 4)).toEqual([]);
    expect(searchDocs("the of and", 4)).toEqual([]);
  });
});

describe("a search", () => {
  const index = indexPages([
    {
      file: "docs/a.md",
      text: "# Keys\n\nIntroduction.\n\n## Rotation\n\nA key expires.\n\n```sh\n# not a heading\nrotate\n```\n\n## Other\n\nRotation, rotation and a key.",
    },
    { file: "docs/b.md", text: "# Retries\n\nuseMaxAttempts limits policies." },
  ]);

  it("prefers a heading to words in the text, and returns whole sections with their code", () => {
    const [first] = searchIndex(index, "rotation", 3);
    expect(first).toEqual({
      file: "docs/a.md",
      title: "Keys › Rotation",
      text: "A key expires.\n\n```sh\n# not a heading\nrotate\n```",
    });
  });

  it("finds the parts of a name, in any case, and plurals", () => {
    for (const query of ["MAX attempt", "usemaxattempts", "policy", "retry"])
      expect(
        searchIndex(index, query, 1).map(({ title }) => title),
        query,
      ).toEqual(["Retries"]);
  });

  it("returns at most as many sections as requested", () => {
    expect(searchIndex(index, "key", 1)).toHaveLength(1);
    expect(searchIndex(index, "key", 10)).toHaveLength(3);
  });
});
