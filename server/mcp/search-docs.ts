import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../paths.ts";

/** A part of a page, from one heading to the next. */
export interface DocsSection {
  /** Relative to the package, e.g. `docs/receiving.md`. */
  file: string;
  /** The title of the page and the heading, e.g. `Receiving webhooks › Keys`. */
  title: string;
  text: string;
}

interface IndexedSection extends DocsSection {
  /** The number of times that each word occurs. A word of the title counts several times. */
  counts: ReadonlyMap<string, number>;
  length: number;
}

export interface DocsIndex {
  sections: readonly IndexedSection[];
  /** The number of sections that have the word. */
  sectionsWith: ReadonlyMap<string, number>;
  averageLength: number;
}

/** Pages for contributors, and those that name a test for each sentence. */
const leftOut = new Set(["docs/packaging.md", "docs/promises.md", "docs/threat-model.md", "docs/performance.md"]);

let shipped: DocsIndex | null = null;

/** The sections of the documentation that ships with the package, best first. Read and indexed once. */
export function searchDocs(query: string, limit: number): DocsSection[] {
  shipped ??= indexPages(readPages());
  return searchIndex(shipped, query, limit);
}

function readPages(): { file: string; text: string }[] {
  return ["docs/*.md", "docs/errors/*.md", "README.md"]
    .flatMap((pattern) => globSync(pattern, { cwd: packageRoot }))
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !leftOut.has(file))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(packageRoot, file), "utf8") }));
}

const titleWeight = 4;

export function indexPages(pages: readonly { file: string; text: string }[]): DocsIndex {
  const sections = pages.flatMap(({ file, text }) => splitPage(file, text)).map(indexSection);
  const sectionsWith = new Map<string, number>();
  for (const { counts } of sections)
    for (const word of counts.keys()) sectionsWith.set(word, (sectionsWith.get(word) ?? 0) + 1);
  const words = sections.reduce((sum, { length }) => sum + length, 0);
  return { sections, sectionsWith, averageLength: words / Math.max(1, sections.length) };
}

/** Splits a page at its headings, but not inside of code. */
function splitPage(file: string, page: string): DocsSection[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: "", lines: [] }];
  let isCode = false;
  for (const line of page.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const heading = isCode ? null : /^#{1,4} (.+)$/.exec(line)?.[1];
    if (heading) sections.push({ heading: heading.replaceAll("`", ""), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  const pageTitle = sections.find(({ heading }) => heading !== "")?.heading ?? file;
  return sections.flatMap(({ heading, lines }) => {
    const text = lines.join("\n").trim();
    if (text === "") return [];
    return [{ file, title: heading === "" || heading === pageTitle ? pageTitle : `${pageTitle} › ${heading}`, text }];
  });
}

function indexSection(section: DocsSection): IndexedSection {
  const counts = new Map<string, number>();
  const count = (word: string, weight: number) => counts.set(word, (counts.get(word) ?? 0) + weight);
  const words = wordsOf(section.text);
  for (const word of words) count(word, 1);
  for (const word of wordsOf(`${section.title} ${section.file.replace(/^docs\/|\.md$/g, "")}`))
    count(word, titleWeight);
  return { ...section, counts, length: words.length };
}

const commonWords = new Set(
  "a an and are as at be by can do for from how i if in is it my of on or that the this to what when why with you".split(
    " ",
  ),
);

/** Lower-case words without endings of the plural. A name in camelCase counts as a whole and by its parts. */
function wordsOf(text: string): string[] {
  const names = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  return names
    .flatMap((name) => {
      const parts = name.match(/\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}+(?!\p{Ll})/gu) ?? [];
      return parts.length > 1 ? [name, ...parts] : [name];
    })
    .map((word) => stem(word.toLowerCase()))
    .filter((word) => word.length > 1 && !commonWords.has(word));
}

function stem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

/** Okapi BM25, with its usual constants. */
const saturation = 1.2;
const lengthShare = 0.75;

export function searchIndex(index: DocsIndex, query: string, limit: number): DocsSection[] {
  const asked = [...new Set(wordsOf(query))];
  return index.sections
    .map((section) => ({ section, score: scoreOf(index, section, asked) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ section: { file, title, text } }) => ({ file, title, text }));
}

function scoreOf(index: DocsIndex, { counts, length }: IndexedSection, asked: readonly string[]): number {
  const total = index.sections.length;
  return asked.reduce((sum, word) => {
    const count = counts.get(word) ?? 0;
    if (count === 0) return sum;
    const having = index.sectionsWith.get(word) ?? 0;
    const rarity = Math.log(1 + (total - having + 0.5) / (having + 0.5));
    const norm = saturation * (1 - lengthShare + (lengthShare * length) / index.averageLength);
    return sum + (rarity * count * (saturation + 1)) / (count + norm);
  }, 0);
}
