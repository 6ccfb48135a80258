/** Writes the Markdown of the repository as pages of the site: with front matter, and with links between pages. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { findUnlisted, home, repository, sections, siteFolder, slugOf } from "./pages.ts";

const content = join(import.meta.dirname, "src/content/docs");
const assets = join(import.meta.dirname, "public");

const files = [home, ...sections.flatMap(({ files: listed }) => listed)];
const pages = new Map(files.map((file) => [file, slugOf(file)]));

/** Throws if a file of `docs/` has no place in the sidebar. */
export function writePages(): void {
  const { missing, unknown } = findUnlisted();
  if (missing.length > 0)
    throw new Error(`docs/site/pages.ts does not list ${missing.join(", ")}. Add it to a section.`);
  if (unknown.length > 0) throw new Error(`docs/site/pages.ts lists ${unknown.join(", ")}, which does not exist.`);
  for (const folder of [content, assets]) rmSync(folder, { recursive: true, force: true });
  for (const [file, slug] of pages) {
    const path = join(content, `${slug}.md`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, toPage(file, readFileSync(join(repository, file), "utf8")));
  }
  writeFileSync(join(content, "404.md"), notFound);
  mkdirSync(join(assets, "images"), { recursive: true });
  for (const image of readdirSync(join(repository, "docs/images")))
    copyFileSync(join(repository, "docs/images", image), join(assets, "images", image));
  copyFileSync(join(repository, "docs/openapi.json"), join(assets, "openapi.json"));
  copyFileSync(join(repository, "app/icon.svg"), join(assets, "icon.svg"));
}

const notFound = `---
title: Page not found
template: splash
editUrl: false
---

This page does not exist. Use the search, or start at the [home page](${siteFolder}/).
`;

/** The first heading becomes the title. `below`: the path below which the site is served. */
export function toPage(file: string, markdown: string, below = siteFolder): string {
  const [, title, body] = /^# (.+)\n+([^]*)$/.exec(markdown) ?? [];
  if (title === undefined || body === undefined) throw new Error(`${file} does not start with a heading.`);
  const frontMatter = { title: plainText(title), description: descriptionOf(body), editUrl: false };
  const lines = Object.entries(frontMatter).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n\n${rewriteLinks(file, body, below)}`;
}

/** The first paragraph of text, as search results show it. */
function descriptionOf(body: string): string {
  const paragraph = body.split("\n\n").find((block) => /^[A-Z*[`_]/.test(block.trim())) ?? "";
  const text = plainText(paragraph.replaceAll("\n", " ").trim());
  return text.length <= 200 ? text : `${text.slice(0, 200).replace(/\s+\S*$/, "")} …`;
}

const plainText = (markdown: string): string => markdown.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");

const codeOrLink = /(^```[^]*?^```|`[^`\n]+`)|(!?)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)/gm;

/** A link to a file that is no page, such as a test, becomes text: the site does not have it. */
function rewriteLinks(file: string, body: string, below: string): string {
  return body.replace(codeOrLink, (all, code: string | undefined, mark: string, text: string, target: string) => {
    if (code !== undefined || /^(?:[a-z]+:|#)/.test(target)) return all;
    const [path = "", anchor] = target.split("#");
    const resolved = posix.join(posix.dirname(file), path).replace(/\/$/, "");
    const hash = anchor === undefined ? "" : `#${anchor}`;
    if (resolved.startsWith("docs/images/")) return `${mark}[${text}](${below}/images/${posix.basename(resolved)})`;
    if (resolved === "docs/openapi.json") return `[${text}](${below}/openapi.json)`;
    const slug = pages.get(resolved) ?? pages.get(`${resolved}/README.md`);
    if (slug === undefined) return text;
    return `[${text}](${below}/${slug === "index" ? "" : `${slug}/`}${hash})`;
  });
}
