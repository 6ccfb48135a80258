import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "./support/project.ts";

const readme = readFileSync(join(repository, "README.md"), "utf8");

const documents = globSync(["*.md", "docs/{*,errors/*,decisions/*}.md", "bench/*.md"], { cwd: repository });

it.each(documents)("%s links to files that exist", (document) => {
  const text = readFileSync(join(repository, document), "utf8");
  const links = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, path]) => path ?? "");
  expect(links.filter((path) => !existsSync(join(repository, dirname(document), path)))).toEqual([]);
});

describe("the README", () => {
  it("names commands that this repository has", () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/npm (?:run )?(dev|test)\b/g)].map(([, name]) => name ?? "");
    expect(new Set(named)).toEqual(new Set(["dev", "test"]));
    for (const name of named) expect(scripts).toHaveProperty(name);
  });
});
