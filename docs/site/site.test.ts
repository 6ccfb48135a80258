import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findBrokenLinks } from "./check-links.ts";
import { findUnlisted } from "./pages.ts";
import { toPage } from "./write-pages.ts";

it("the sidebar has every page of the documentation, and no other", () => {
  expect(findUnlisted()).toEqual({ missing: [], unknown: [] });
});

it("a page has the title of its first heading, and the first paragraph as its description", () => {
  expect(toPage("docs/agents.md", "# The `agent`\n\nIt has [tools](sdk.md).\n")).toBe(
    `---\ntitle: "The agent"\ndescription: "It has tools."\neditUrl: false\n---\n\nIt has [tools](/sdk/).\n`,
  );
});

it.each([
  ["docs/agents.md", "[a](sdk.md#triggers)", "[a](/sdk/#triggers)"],
  ["docs/agents.md", "[a](errors/)", "[a](/errors/)"],
  ["docs/agents.md", "[a](../README.md)", "[a](/)"],
  ["docs/agents.md", "[a](#here), [b](https://zod.dev)", "[a](#here), [b](https://zod.dev)"],
  ["docs/errors/not_found.md", "[a](../api.md)", "[a](/api/)"],
  ["README.md", "![a](docs/images/canvas.png)", "![a](/images/canvas.png)"],
  ["docs/promises.md", "- [`x.test.ts`](../server/x.test.ts): a test", "- `x.test.ts`: a test"],
  ["docs/agents.md", "```md\n[a](sdk.md)\n```\nand `[a](sdk.md)`", "```md\n[a](sdk.md)\n```\nand `[a](sdk.md)`"],
])("a link in %s: %s becomes %s", (file, markdown, expected) => {
  expect(toPage(file, `# Title\n\n${markdown}\n`).split("---\n\n")[1]).toBe(`${expected}\n`);
});

it("a site that is served below a path links below it", () => {
  const links = "[a](sdk.md#triggers), [b](../README.md), ![c](images/canvas.png), [d](openapi.json)";
  expect(toPage("docs/agents.md", `# Title\n\n${links}\n`, "/signalbox").split("---\n\n")[1]).toBe(
    "[a](/signalbox/sdk/#triggers), [b](/signalbox/), ![c](/signalbox/images/canvas.png), [d](/signalbox/openapi.json)\n",
  );
});

it("a file without a heading is named", () => {
  expect(() => toPage("docs/agents.md", "text")).toThrow("docs/agents.md does not start with a heading.");
});

it("broken links are found: pages, headings and files that do not exist", () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-site-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const pages = {
    "index.html": `<h2 id="one">One</h2><a href="/a/">a</a><a class="x" href="#one">b</a><a href="/a/#no">c</a><a href="https://x.dev/y">d</a>`,
    "a/index.html": `<a href="/b/">a</a><img alt="" src="/images/no.png"><a href="/#one">b</a><a href="../robots.txt">c</a>`,
    "robots.txt": "",
  };
  for (const [file, text] of Object.entries(pages)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  expect(findBrokenLinks(folder, "/below").toSorted()).toEqual([
    "/below/ links to /a/#no, which does not exist",
    "/below/ links to /a/, which does not exist",
    "/below/a/ links to /#one, which does not exist",
    "/below/a/ links to /b/, which does not exist",
    "/below/a/ links to /images/no.png, which does not exist",
  ]);
  expect(findBrokenLinks(folder).toSorted()).toEqual([
    "/ links to /a/#no, but /a/ has no such heading",
    "/a/ links to /b/, which does not exist",
    "/a/ links to /images/no.png, which does not exist",
  ]);
});
