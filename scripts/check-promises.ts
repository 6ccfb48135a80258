import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Sections without guarantees. */
const withoutTests: ReadonlySet<string> = new Set([
  "What is not promised",
  "Assets",
  "Who may do what",
  "What is not defended",
]);

interface PromiseMade {
  line: number;
  text: string;
  tests: { line: number; file: string; title: string }[];
}

/**
 * The errors of a page of guarantees, with line numbers. Below its headings every sentence is in a list item, and every
 * item names the tests behind it, one per line: ``- [`file`](../file): "title"``. A title may name its groups before it
 * (`group › title`). Each test must exist and not be skipped. `…` replaces the parameters of a title.
 */
export function checkPromises(page: string, repository: string): string[] {
  const { promises, strays } = parsePage(page);
  const untested = promises
    .filter(({ tests }) => tests.length === 0)
    .map(({ line, text }) => `${line}: no test is named for "${text.slice(0, 60)}…"`);
  const missing = promises.flatMap(({ tests }) =>
    tests.flatMap(({ line, file, title }) => findFault(repository, file, title).map((fault) => `${line}: ${fault}`)),
  );
  return [...(promises.length > 0 ? [] : ["1: the page promises nothing"]), ...strays, ...untested, ...missing];
}

const testLine = /^ {2}- \[`([^`]+)`\]\(\.\.\/([^)]+)\): "(.+)"$/;

function parsePage(page: string): { promises: PromiseMade[]; strays: string[] } {
  const promises: PromiseMade[] = [];
  const strays: string[] = [];
  let heading: string | null = null;
  for (const [index, text] of page.split("\n").entries()) {
    const line = index + 1;
    if (text.startsWith("## ")) heading = text.slice(3);
    else if (heading === null || withoutTests.has(heading) || text.trim() === "") continue;
    else if (text.startsWith("- ")) promises.push({ line, text: text.slice(2), tests: [] });
    else {
      const [, label, file, title] = testLine.exec(text) ?? [];
      const last = promises.at(-1);
      if (!last || !file || !title || label !== file)
        strays.push(`${line}: this is neither a promise nor the name of a test: "${text.trim().slice(0, 60)}…"`);
      else last.tests.push({ line, file, title });
    }
  }
  return { promises, strays };
}

function findFault(repository: string, file: string, title: string): string[] {
  if (!/\.test\.tsx?$|-contract\.ts$/.test(file)) return [`${file} is not a file of tests`];
  const path = join(repository, file);
  if (!existsSync(path)) return [`${file} is not there`];
  const source = readFileSync(path, "utf8");
  const groups = title.split(" › ");
  const test = groups.pop() ?? "";
  const isThere =
    titlesOf(source, testCall).includes(test) && groups.every((group) => titlesOf(source, groupCall).includes(group));
  return isThere ? [] : [`${file} has no test "${title}"`];
}

/** `it("…"`, `test.each([…])("…"`, `it(\n "…"`; what comes before the parenthesis is the call or the end of its table. */
const call = /([\w.]+|\))\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)\s*,/g;

const testCall = /^(it|test)(\.(concurrent|sequential|only))*$|^\)$/;
const groupCall = /^describe(\.(concurrent|sequential|only))*$|^\)$/;

export function titlesOf(source: string, wanted = testCall): string[] {
  const code = source.replace(/^\s*\/\/.*$/gm, "");
  return [...code.matchAll(call)].flatMap(([, callee = "", quoted, template]) => {
    if (!wanted.test(callee)) return [];
    const title = quoted === undefined ? (template ?? "").replace(/\$\{[^}]*\}/g, "…") : withoutEscapes(quoted);
    // A table's titles are filled in: %s, $name.
    return [callee === ")" ? title.replace(/%[sdifjo]|\$\w+/g, "…") : title];
  });
}

const withoutEscapes = (text: string) => text.replace(/\\(.)/g, "$1");
