import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Module, parseSync } from "@swc/core";
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
  [/\bstand-ins?\b/i, "scripted model, substitute"],
  [/\bobey(s|ed|ing)?\b/i, "handle, follow"],
  [/\bhears? (of|from)\b/i, "is notified of"],
  [/\bdoers?\b/i, "actor"],
  [/\bopinions?\b/i, "parse outcome"],
  [/\bcrowds?\b/i, "selectivity"],
  [/\bin vain\b/i, "without success"],
  [/\bof its own accord\b/i, "by itself"],
  [/\bheld up\b/i, "delayed"],
  [/\bthe very\b/i, "the same"],
  [/\bfor good\b/i, "permanently"],
  [/\bsigns? of life\b/i, "heartbeat, response"],
  [/\bjudg(e|es|ed|ing)\b/i, "evaluate, check, decide"],
  [/\bwhat (became|becomes|is to become) of\b/i, "the outcome of"],
  [/\bwhat (senders send|the sender sends|arrives)\b/i, "payload, delivery"],
  [/\bbelongs? into\b/i, "belongs in"],
  [/\bwith which (one|a) (person|admin)\b/i, "a link for, to"],
  [/\b(fires?|matches|does|is|do) no more\b/i, "no longer"],
  [/\bas (many|much|long|often) as (one|you|they) likes?\b/i, "any number"],
];

/** Phrases that test titles do not use, either. */
const bannedInTitles: readonly [phrase: RegExp, instead: string][] = [
  [/\b(goes|going|go) on\b/i, "continue"],
  [/\b(who|what)ever\b|\b(no|some|any)body\b|\bwhom\b/i, "the noun: the sender, the user, the process"],
  [/\banew\b|\bfor ever\b|\bfrom then on\b/i, "again, forever, afterwards"],
  [/\bstrangers?\b/i, "anonymous, unauthenticated, unknown"],
  [/\bmend(s|ed|ing)?\b/i, "fix"],
  [/\bseldom\b/i, "rarely"],
  [/\bstand-ins?\b/i, "scripted model, substitute"],
  [/\b(is|are|was|were|be) told\b/i, "receives, reports"],
  [/\b(refuses?|refusing|refusals?|judg(e|es|ed|ing))\b/i, "reject, deny; evaluate, check"],
  [/\bfor good\b|\bsigns? of life\b|\bwhat (became|becomes) of\b/i, "permanently; heartbeat; the outcome of"],
  [/\bknock(s|ed)?\b|\bturned away\b/i, "received, rejected"],
  [/\bwhat (arrived|came in|comes in)\b/i, "a received webhook, a delivery"],
];

/** Phrases that the comments of `commented` do not use, either. */
const bannedInComments: readonly [phrase: RegExp, instead: string][] = [
  [/\bverbs?\b/i, "operation"],
  [/\bsurviv\w+ (power|kill)\b/i, "durability: fsync, page-cache"],
  [/\b(told|tell(s|ing)?|hears?|heard)\b/i, "report, notify"],
  [/\btroubles?\b/i, "failure, problem"],
  [/\bstands?\b/i, "is, has"],
  [/\blies\b|\blie (in|on|apart|between)\b/i, "is"],
  [/\bcarr(y|ies) on\b/i, "continue"],
  [/\bholds? up\b/i, "delays"],
  [/\bgo(es)? into?\b/i, "is written to"],
  [/\bfared?\b/i, "statistics"],
  [/\brefus(e|es|ed|ing)\b/i, "reject"],
  [/\bgives? (back|what|itself)\b/i, "return"],
  [/\bso (many|much)\b/i, "this many, the number of"],
  [/\blook(s|ed|ing)? through\b/i, "scan, search"],
  [/\bin the place of\b/i, "instead of"],
  [/\bwr(ite|ites|ote|itten) (\w+ )?down\b/i, "record"],
  [/\bunder way\b/i, "in progress"],
  [/\bhits? (both|them) alike\b|\bmeets? them alike\b/i, "affects equally"],
  [/\bpast (all of )?the product's own code\b/i, "without the product's code"],
  [/`(null|true|false)` where\b|\b(rejects|throws)\b[^.]*\bwhere\b/i, "if"],
];

/** Names that the code of `commented` does not use. */
const bannedNames: readonly [name: RegExp, instead: string][] = [
  [/^(most|longest|fewest)[A-Z]/, "maxX, minX"],
  [/verbs?$/i, "operation"],
  [/^(togetherAside|(write|is)Soon)$/, "createBatcher, createIndependentBatcher, writeRelaxed, isRelaxed"],
  [/^surviv(al|es)$/i, "durability"],
  [/^(tell|told)([A-Z]|$)/, "notify, report"],
  [/trouble|anew$/i, "failure; again"],
  [/^gives?[A-Z]\w*Back$|^gives?Back$/, "release, return"],
  [/^judg(e|es|ed|ing)([A-Z]|$)/i, "evaluate, check, decide"],
  [/^refusals?$|^refus(e|es|ed|ing)([A-Z]|$)/, "rejection; deny"],
];

/** A sentence of a comment or of the documentation has at most this many words. */
const maxWords = 30;

const documents = ["*.md", "docs/{*,errors/*,decisions/*}.md", "examples/**/*.md", "skills/**/*.md", "bench/README.md"];
/** Lists of what changed, and tables of measurements with their notes. */
const notProse = ["CHANGELOG.md", "docs/performance.md"];
const sources = ["*.{ts,mjs}", "{app,cli,components,docs,examples,sdk,server,testing}/**/*.{ts,tsx}"];
const tests = [
  "{app,bench,cli,components,docs,e2e,examples,scripts,sdk,server,testing}/**/*.test.ts",
  "server/store/testing/*-contract.ts",
];
/** The files whose comments and names are checked. */
const commented = [
  "{.,}*.{ts,mjs}",
  "{app,bench,cli,components,docs,e2e,examples,scripts,sdk,server,testing}/**/*.{ts,tsx}",
];
/** Generated code, broken examples of builds, and this file, which has the phrases. */
const notChecked = [
  "**/node_modules/**",
  "**/.signalbox/**",
  "**/golden/**",
  "sdk/sources/github/{payloads,event-data}.ts",
  "scripts/language.test.ts",
];
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

function findBanned(file: string, line: number, text: string, phrases = banned): Finding[] {
  return phrases.flatMap(([pattern, instead]) => {
    const phrase = pattern.exec(text)?.[0];
    return phrase === undefined ? [] : [{ file, line, phrase, instead }];
  });
}

/**
 * The titles of a test file: the first argument of `it`, `test`, `describe` and their variants, such as `it.each(…)`,
 * if it is a string.
 */
function titlesOf(source: string, isTsx: boolean): { line: number; text: string }[] {
  return collectTexts(source, isTsx, (node) => {
    if (!("type" in node && node.type === "CallExpression" && "callee" in node && "arguments" in node)) return [];
    if (!/^(it|test|describe)$/.test(rootName(node.callee))) return [];
    const [title] = node.arguments as { expression: object }[];
    if (!title) return [];
    const { expression } = title;
    return "quasis" in expression ? (expression.quasis as object[]) : [expression];
  });
}

/** `it` of `it`, `it.each` and `it.each(…)`. */
function rootName(callee: unknown): string {
  if (typeof callee !== "object" || callee === null || !("type" in callee)) return "";
  if (callee.type === "Identifier" && "value" in callee) return String(callee.value);
  if (callee.type === "MemberExpression" && "object" in callee) return rootName(callee.object);
  return callee.type === "CallExpression" && "callee" in callee ? rootName(callee.callee) : "";
}

/** The texts of a source file: string literals, template literals and the words between JSX tags. */
function textsOf(source: string, isTsx: boolean): { line: number; text: string }[] {
  return collectTexts(source, isTsx, (node) => [node]);
}

/** The paragraphs of the comments of a source file, without examples of code. Consecutive `//` lines are one comment. */
function commentsOf(source: string, isTsx: boolean): { line: number; text: string }[] {
  const code = maskLiterals(source, isTsx);
  return [...code.matchAll(/\/\*[^]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*/g)].flatMap(({ 0: comment, index }) => {
    const line = code.slice(0, index).split("\n").length;
    return comment
      .replaceAll(/^\/\*+|\*+\/$|^[ \t]*(?:\*|\/\/)/gm, "")
      .replaceAll(/^ *@example[^]*?(?=^ *@|$(?![^]))|^ {4,}.*$/gm, "")
      .split(/\n\s*\n|\n(?=\s*- )/)
      .map((text) => ({ line, text: text.replaceAll(/\s+/g, " ").trim() }))
      .filter(({ text }) => text !== "");
  });
}

/** The source with spaces instead of literals, which can contain the marks of comments. */
function maskLiterals(source: string, isTsx: boolean): string {
  const bytes = Buffer.from(source);
  visitNodes(parse(source, isTsx), (node, sourceStart) => {
    if (
      !("type" in node) ||
      !("span" in node) ||
      !/^(StringLiteral|TemplateElement|RegExpLiteral|JSXText)$/.test(String(node.type))
    )
      return;
    const { start, end } = node.span as { start: number; end: number };
    for (let at = start - sourceStart; at < end - sourceStart; at += 1) if (bytes[at] !== 10) bytes[at] = 32;
  });
  return bytes.toString();
}

/** The identifiers of a source file, each once. */
function namesOf(source: string, isTsx: boolean): string[] {
  const names = new Set<string>();
  visitNodes(parse(source, isTsx), (node) => {
    if ("type" in node && node.type === "Identifier" && "value" in node) names.add(String(node.value));
  });
  return [...names];
}

/** The sentences of a comment that are too long. */
function longSentencesOf(comment: string): string[] {
  return comment.split(/(?<=[.?!]) /).filter((sentence) => sentence.split(" ").length > maxWords);
}

/**
 * The sentences of a Markdown page: without code, tables and quotations. Code in a sentence is one word. A colon or a
 * semicolon ends a sentence, because a reader pauses there.
 */
function sentencesOf(markdown: string): string[] {
  const prose = markdown
    .replace(/^---\n[^]*?^---$/m, "")
    .replaceAll(/^ *```[^]*?^ *```$|<!--[^]*?-->|^\|.*$/gm, "")
    .replaceAll(/`[^`]*`|"[^"\n]*"/g, "Code")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1");
  const blocks = prose.split(/\n\s*\n|\n(?= *(?:[-*]|\d+\.) )|\n(?=#)/);
  return blocks.flatMap((block) =>
    block
      .replace(/^\s*(?:[-*]|\d+\.|#+)\s+/, "")
      .replaceAll(/\s+/g, " ")
      .split(/(?<=[.?!:;][)*]*) /)
      .filter((sentence) => sentence !== ""),
  );
}

/** The texts among the nodes that `select` takes of each node of a source file. */
function collectTexts(
  source: string,
  isTsx: boolean,
  select: (node: object) => object[],
): { line: number; text: string }[] {
  const module = parse(source, isTsx);
  const bytes = Buffer.from(source);
  const texts: { line: number; text: string }[] = [];
  const add = (node: object): void => {
    const text = textOf(node);
    if (text !== null && "span" in node) {
      const { start } = node.span as { start: number };
      texts.push({ line: lineAt(bytes, start - module.span.start - 1), text });
    }
  };
  visitNodes(module, (node) => {
    if ("type" in node && node.type === "ImportDeclaration") return false;
    select(node).forEach(add);
    return true;
  });
  return texts;
}

/**
 * The span of a module starts at its first token, after leading comments. The semicolon makes that the start of the
 * source.
 */
function parse(source: string, isTsx: boolean): Module {
  return parseSync(`;${source}`, { syntax: "typescript", tsx: isTsx, decorators: true, target: "esnext" });
}

/** Calls `onNode` for each node, with the start of the source. If it returns `false`, the children are skipped. */
function visitNodes(module: Module, onNode: (node: object, sourceStart: number) => boolean | void): void {
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    if (onNode(node, module.span.start + 1) !== false) Object.values(node).forEach(visit);
  };
  visit(module.body);
}

/** The line of a byte, from 1. */
function lineAt(bytes: Buffer, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf(10); at >= 0 && at < offset; at = bytes.indexOf(10, at + 1)) line += 1;
  return line;
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
  const source =
    '// no text\nconst nobody = 1; // somebody\nconst text = "a" + `b ${nobody} c`;\nconst tag = <p title="d">e</p>;';
  expect(textsOf(source, true).map(({ line, text }) => [line, text.trim()])).toEqual([
    [3, "a"],
    [3, "b"],
    [3, "c"],
    [4, "d"],
    [4, "e"],
  ]);
});

it("titles of a test file are the first arguments of its tests and groups, not its other texts", () => {
  const source =
    'describe("a", () => {\n  it("b", () => expect("c"));\n  it.each(["d"])("e %s", run);\n  test(`f ${g} h`, run);\n});\nrun("i");';
  expect(titlesOf(source, false).map(({ line, text }) => [line, text.trim()])).toEqual([
    [1, "a"],
    [2, "b"],
    [3, "e %s"],
    [4, "f"],
    [4, "h"],
  ]);
});

it("a banned phrase in a title is found", () => {
  const findings = titlesOf('it.for([1])("goes on for ever", run);', false).flatMap(({ line, text }) =>
    findBanned("a.test.ts", line, text, bannedInTitles),
  );
  expect(findings.map(({ phrase }) => phrase)).toEqual(["goes on", "for ever"]);
});

it("comments of a source are its blocks and its groups of lines, not its literals", () => {
  const source = [
    "/** First",
    " * second. */",
    'const a = "// no";',
    "// Third",
    "//   fourth.",
    "const b = `/* no */ ${a} // no`; // fifth ü",
    "const c = /[/*]+ \\/\\/ no/;",
    "/* sixth */ const d = 1;",
    "/**",
    " * Seventh:",
    " *",
    " *     code",
    " *",
    " * - eighth",
    " * - ninth",
    " *",
    " * @example",
    " * code()",
    " */",
  ].join("\n");
  expect(commentsOf(source, false).map(({ line, text }) => [line, text])).toEqual([
    [1, "First second."],
    [4, "Third fourth."],
    [6, "fifth ü"],
    [8, "sixth"],
    [9, "Seventh:"],
    [9, "- eighth"],
    [9, "- ninth"],
  ]);
});

it.each([
  ["/** Runs a verb. Each is told\n * after its fsync. */", ["verb", "told"]],
  ["/** A write that survives power. */", ["survives power"]],
  ["// What lies in the log goes into\n// the file.", ["lies", "goes into"]],
  ["/** How it fared so far. */", ["fared"]],
  ["/** Rejects with AppError where the file is damaged. */", ["Rejects with AppError where"]],
  ["/** Nobody waits, for the log is made anew. */", ["Nobody", "anew"]],
  ["/** The run failed for good, and nobody wrote it down. */", ["for good", "nobody", "wrote it down"]],
  ["// What became of the request is judged again.", ["What became of", "judged"]],
  ["/** Runs an operation in a write transaction. */", []],
])("the comment %j has the banned phrases %j", (source, phrases) => {
  const findings = commentsOf(source, false).flatMap(({ line, text }) =>
    findBanned("a.ts", line, text, [...banned, ...bannedInComments]),
  );
  expect(findings.map(({ phrase }) => phrase).toSorted()).toEqual(phrases.toSorted());
});

it("banned names are found in declarations, types and properties, not in comments and literals", () => {
  const source =
    'const mostTurns = 8; // longestMs\ntype Survival = "survives";\nfunction tellAll({ verb }: { verb: Verb }) { return verb.isHeldAnew; }\nconst maxTurns = "fewestRows";';
  const found = namesOf(source, false).filter((name) => findBanned("a.ts", 1, name, bannedNames).length > 0);
  expect(found.toSorted()).toEqual(["Survival", "Verb", "isHeldAnew", "mostTurns", "tellAll", "verb"]);
});

it("a sentence of more than 30 words is found, and several short ones are not", () => {
  expect(
    longSentencesOf(`${"a ".repeat(30)}b? ${"a ".repeat(29)}b. ${"a ".repeat(14)}b; ${"a ".repeat(14)}b.`),
  ).toEqual([`${"a ".repeat(30)}b?`]);
});

it("sentences of a page are those of its paragraphs and lists, not of its code and tables", () => {
  const page = [
    "# Keys",
    "",
    "A key expires `in 3 days. Or not.` Ask",
    "[the owner](people.md): he **decides.** Then:",
    "- one",
    "  item; and another",
    "",
    "| a table. | b |",
    "```sh",
    "some code. more",
    "```",
  ].join("\n");
  expect(sentencesOf(page)).toEqual([
    "Keys",
    "A key expires Code Ask the owner:",
    "he **decides.**",
    "Then:",
    "one item;",
    "and another",
  ]);
});

it("the documentation has no sentence of more than 30 words", () => {
  const pages = globSync(documents, { cwd: root, exclude: [...notShown, ...notProse] });
  expect(pages.length).toBeGreaterThan(80);
  const sentences = pages.flatMap((file) =>
    sentencesOf(readFileSync(join(root, file), "utf8")).map((text) => ({ file, text })),
  );
  expect(sentences.filter(({ text }) => text.split(" ").length > maxWords)).toEqual([]);
  const words = sentences.reduce((sum, { text }) => sum + text.split(" ").length, 0);
  expect(words / sentences.length).toBeLessThan(20);
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

it("test titles use no banned phrase", () => {
  const findings = globSync(tests, { cwd: root, exclude: ["**/node_modules/**"] }).flatMap((file) =>
    titlesOf(readFileSync(join(root, file), "utf8"), isTsx(file)).flatMap(({ line, text }) =>
      findBanned(file, line, text, bannedInTitles),
    ),
  );
  expect(findings).toEqual([]);
});

it("comments use no banned phrase and no long sentence", () => {
  const files = globSync(commented, { cwd: root, exclude: notChecked });
  expect(files.length).toBeGreaterThan(1_500);
  const findings = files.flatMap((file) =>
    commentsOf(readFileSync(join(root, file), "utf8"), isTsx(file)).flatMap(({ line, text }) => [
      ...findBanned(file, line, text, [...banned, ...bannedInComments]),
      ...longSentencesOf(text).map((phrase) => ({ file, line, phrase, instead: `at most ${maxWords} words` })),
    ]),
  );
  expect(findings).toEqual([]);
});

it("code uses no banned name", () => {
  const findings = globSync(commented, { cwd: root, exclude: notChecked }).flatMap((file) =>
    namesOf(readFileSync(join(root, file), "utf8"), isTsx(file)).flatMap((name) =>
      findBanned(file, 1, name, bannedNames).map(({ instead }) => ({ file, name, instead })),
    ),
  );
  expect(findings).toEqual([]);
});
