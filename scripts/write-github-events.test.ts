import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { githubEvents } from "./write-github-events.ts";

it("the typed events of GitHub are those of the installed OpenAPI description", () => {
  const files = githubEvents();
  expect([...files.keys()]).toEqual(["payloads.ts", "event-data.ts"]);
  for (const [name, code] of files)
    expect(code === readFileSync(join(import.meta.dirname, "../sdk/sources/github", name), "utf8"), name).toBe(true);
});
