/** The code blocks of the documentation, and how each is kept true. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const repository = join(import.meta.dirname, "..");

export interface DocBlock {
  page: string;
  line: number;
  language: string;
  text: string;
  /** The text between the previous block and this one. */
  before: string;
  /** A comment above the block: a test file that executes it, or why none does. */
  mark: { runBy: string } | { notRun: string } | null;
}

/** The pages that readers follow. */
export const pagesWithBlocks = globSync(["README.md", "docs/*.md", "examples/*/README.md"], {
  cwd: repository,
}).toSorted();

/** This file becomes part of each new project, so it has no comments for this repository. */
const starterPage = "examples/starter/README.md";

/** The comments of its blocks, by their first lines. */
const marksOfStarter: Record<string, DocBlock["mark"]> = {
  "npm install": { notRun: "installs packages" },
  "MODEL=qwen3 OPENAI_BASE_URL=http://127.0.0.1:11434/v1 npm run dev   # Ollama": { notRun: "needs a model" },
  "npx signalbox build --check-types": { runBy: "e2e/packed.test.ts" },
  "SIGNALBOX_TOKEN=sbt_… npx signalbox dev --from https://hooks.example.com --since 2h": {
    runBy: "e2e/dev-from.test.ts",
  },
  "SIGNALBOX_BASE_URL=https://a1b2.ngrok.app npx signalbox dev   # after `ngrok http 3002`": {
    runBy: "e2e/hostile/tunnels.test.ts",
  },
};

export function readBlocks(page: string): DocBlock[] {
  const text = readFileSync(join(repository, page), "utf8");
  let end = 0;
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(({ 0: all, 1: language = "", 2: code = "", index }) => {
    const before = text.slice(end, index);
    end = index + all.length;
    const mark = readMark(before, { page, code });
    return { page, line: text.slice(0, index).split("\n").length, language, text: code, before, mark };
  });
}

function readMark(before: string, { page, code }: { page: string; code: string }): DocBlock["mark"] {
  const [, mark, detail = ""] = /<!-- (run by|not run:) (.*) -->\n$/.exec(before) ?? [];
  if (mark === "run by") return { runBy: detail };
  if (mark !== undefined) return { notRun: detail };
  return page === starterPage ? (marksOfStarter[code.split("\n")[0] ?? ""] ?? null) : null;
}

/** Tests that execute all blocks of some languages on a page, except those with a mark. */
const executed: readonly { page: RegExp; languages: readonly string[]; by: string }[] = [
  { page: /^docs\/tutorial\.md$/, languages: ["sh", "json", ""], by: "e2e/tutorial.test.ts" },
  { page: /^examples\/starter\/README\.md$/, languages: ["sh"], by: "e2e/first-webhook.test.ts" },
  { page: /^docs\/receiving\.md$/, languages: ["http"], by: "server/http/webhooks/receiving-docs.test.ts" },
  { page: /^docs\/senders\.md$/, languages: ["http"], by: "e2e/senders-docs.test.ts" },
  { page: /^docs\/kubernetes\.md$/, languages: ["yaml"], by: "examples/deploy-docs.test.ts" },
  {
    page: /^docs\/platforms\.md$/,
    languages: ["toml", "json", "yaml", "dockerfile"],
    by: "examples/deploy-docs.test.ts",
  },
  { page: /^(README|docs\/.*)\.md$/, languages: ["ts", "js"], by: "examples/guides.test.ts" },
];

/** The test file that executes a block. `null`: none does. */
export function testOf({ page, language, mark }: DocBlock): string | null {
  if (mark) return "runBy" in mark ? mark.runBy : null;
  return executed.find((one) => one.page.test(page) && one.languages.includes(language))?.by ?? null;
}
