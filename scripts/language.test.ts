import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "@swc/core";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

/** Phrases that the product and its documentation do not use, each with what to write. */
const banned: readonly [phrase: RegExp, instead: string][] = [
  [/\bunless told\b/i, "Default: …"],
  [/\banew\b/i, "again"],
  [/\bfrom then on\b/i, "afterwards"],
  [/\bfor ever\b/i, "permanently"],
  [/\b(goes|go|went|going) on\b/i, "continue"],
  [/\bknock(s|ed)?\b/i, "a received webhook"],
  [/\bwhat (arrived|came in|comes in)\b/i, "a received webhook, a delivery"],
  [/\bturned away\b/i, "rejected"],
  [/\bstrangers?\b/i, "anonymous, unauthenticated, unknown"],
  [/\bmend(s|ed|ing)?\b/i, "fix"],
  [/\b(who|what)ever\b|\b(no|some|any)body\b|\bwhom\b/i, "the noun: the sender, the user, the process"],
  [/\bbears?\b/i, "has, carries"],
  [/(?<!post-to-)\bledger\b(?!\.csv)/i, "store"],
  [/\bseldom\b/i, "rarely"],
  [/\bbur(y|ied)\b/i, "remove"],
  [/\bdoes not hold\b/i, "is invalid"],
  [/\b[Dd]o nothing\b/, "the name of the action: Cancel, Go back"],
  [/\bno such thing\b/i, "not found"],
  [/\bmade a mistake\b/i, "something went wrong"],
  [/\bbr(eak|oken) off\b/i, "interrupted"],
  [/\bheaped up\b/i, "backlog"],
  [/\bknow(s)? no better\b/i, "legacy"],
];

const documents = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "docs/**/*.md", "examples/**/*.md"];
const sources = ["{app,cli,components,examples,sdk,server}/**/*.{ts,tsx}"];
const notShown = [
  "**/*.test.{ts,tsx}",
  "**/testing/**",
  "**/golden/**",
  "**/fixtures/**",
  "**/node_modules/**",
  "**/.signalbox/**",
];

interface Finding {
  file: string;
  line: number;
  phrase: string;
  instead: string;
}

function findBanned(file: string, line: number, text: string): Finding[] {
  return banned.flatMap(([pattern, instead]) => {
    const phrase = pattern.exec(text)?.[0];
    return phrase === undefined ? [] : [{ file, line, phrase, instead }];
  });
}

/** The texts of a source file: string literals, template literals and the words between JSX tags. */
function textsOf(source: string, isTsx: boolean): { line: number; text: string }[] {
  const module = parseSync(source, { syntax: "typescript", tsx: isTsx, decorators: true, target: "esnext" });
  const bytes = Buffer.from(source);
  const texts: { line: number; text: string }[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    if ("type" in node && node.type === "ImportDeclaration") return;
    const text = textOf(node);
    if (text !== null && "span" in node) {
      const { start } = node.span as { start: number };
      const line = bytes
        .subarray(0, Math.max(0, start - module.span.start))
        .toString()
        .split("\n").length;
      texts.push({ line, text });
    }
    Object.values(node).forEach(visit);
  };
  visit(module.body);
  return texts;
}

function textOf(node: object): string | null {
  if (!("type" in node)) return null;
  if ((node.type === "StringLiteral" || node.type === "JSXText") && "value" in node) return String(node.value);
  if (node.type === "TemplateElement" && "raw" in node) return String(node.raw);
  return null;
}

const isTsx = (file: string) => file.endsWith(".tsx");

it.each([
  ["Whatever knocks stands here", ["Whatever", "knocks"]],
  ["Nothing is kept for ever", ["for ever"]],
  ["The signature does not hold", ["does not hold"]],
  ["Incoming webhooks appear here, including rejected ones.", []],
])("%j has the banned phrases %j", (text, phrases) => {
  expect(
    findBanned("a.ts", 1, text)
      .map(({ phrase }) => phrase)
      .toSorted(),
  ).toEqual(phrases.toSorted());
});

it("texts of a source are its literals and the words between tags, not its names and comments", () => {
  const source = 'const nobody = 1; // somebody\nconst text = "a" + `b ${nobody} c`;\nconst tag = <p title="d">e</p>;';
  expect(textsOf(source, true).map(({ line, text }) => [line, text.trim()])).toEqual([
    [2, "a"],
    [2, "b"],
    [2, "c"],
    [3, "d"],
    [3, "e"],
  ]);
});

it("the documentation uses no banned phrase", () => {
  const findings = globSync(documents, { cwd: root, exclude: notShown }).flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((text, index) => findBanned(file, index + 1, text)),
  );
  expect(findings).toEqual([]);
});

it("pages, the command line, errors and logs use no banned phrase", () => {
  const findings = globSync(sources, { cwd: root, exclude: notShown }).flatMap((file) =>
    textsOf(readFileSync(join(root, file), "utf8"), isTsx(file)).flatMap(({ line, text }) =>
      findBanned(file, line, text),
    ),
  );
  expect(findings).toEqual([]);
});
