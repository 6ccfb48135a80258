/** The README: short enough to read in half a minute, with proof for what it says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const repository = join(import.meta.dirname, "..");
const textOf = (file: string) => readFileSync(join(repository, file), "utf8");
const readme = textOf("README.md");
const [prose = "", ...sections] = readme.split(/^## /m);
const sectionOf = (title: string) => sections.find((section) => section.startsWith(`${title}\n`)) ?? "";
const linksIn = (text: string) => [...text.matchAll(/(?<!!)\[[^\]]+\]\(([^)]+)\)/g)].map(([, target = ""]) => target);

describe("the README", () => {
  it("has at most 500 words outside of code, tables and links included", () => {
    const words = readme.replaceAll(/^```[^]*?^```$|<!--.*-->/gm, "").match(/\S+/g) ?? [];
    expect(words.length).toBeGreaterThan(200);
    expect(words.length).toBeLessThanOrEqual(500);
  });

  it("begins with the tagline and a picture", () => {
    expect(prose).toMatch(
      /\*\*Self-hosted webhooks → durable TypeScript workflows\. One process group, one SQLite file\.\*\*/,
    );
    expect(prose).toMatch(/!\[[^\]]{40,}\]\(docs\/images\/why\.webp\)/);
  });

  it("names commands that this repository has", () => {
    const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
    const named = [...readme.matchAll(/npm (?:run )?(dev|test)\b/g)].map(([, name = ""]) => name);
    expect(new Set(named)).toEqual(new Set(["dev", "test"]));
    for (const name of named) expect(scripts).toHaveProperty(name);
  });

  it("shows a trigger and its workflow in at most 25 lines, with `verify`, one step and one sleep", () => {
    const code = [...sectionOf("The code").matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text = ""]) => text).join("");
    expect(code.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(25);
    for (const once of ["defineWebhookSource({", "defineWorkflow({", "verify:", "ctx.step(", "ctx.sleep("])
      expect(code.split(once), once).toHaveLength(2);
  });

  it("has five promises, each with a link to its proof", () => {
    const promises = sectionOf("What you get").match(/^- .*$/gm) ?? [];
    expect(promises).toHaveLength(5);
    expect(promises.filter((promise) => linksIn(promise).length === 0)).toEqual([]);
  });

  it("compares Signalbox with four others, with numbers of docs/performance.md only", () => {
    const section = sectionOf("Beside others");
    expect(section).toContain("| | Signalbox | n8n | Trigger.dev | Inngest | Restate |");
    expect(section).toMatch(/missed/);
    const numbers = section.match(/\d[\d,.]*\d/g) ?? [];
    expect(numbers.length).toBeGreaterThan(6);
    const measured = new Set(textOf("docs/performance.md").match(/\d[\d,.]*\d/g));
    expect(numbers.filter((number) => !measured.has(number))).toEqual([]);
  });

  it("names the time and the packages of the command that runs all tests, beside it and not in the first block", () => {
    expect(sectionOf("Start")).not.toContain("npm test");
    expect(sectionOf("Contributing")).toMatch(/^npm ci && npm test\b[^]*minutes[^]*`apt-get`/m);
  });

  it("ends with six links", () => {
    expect(linksIn(sectionOf("More"))).toHaveLength(6);
  });
});

/** The rates of two programs in one row of docs/performance.md, by what they count. */
function measuredPairs(unit: string): string[] {
  const rows = textOf("docs/performance.md").matchAll(
    /^\| [^|]+ \| ([^|]+) \| ([\d,]+)[^|]* \| [^|]+: ([\d,]+)[^|]* \|/gm,
  );
  return [...rows].flatMap(([, counted, ours, theirs]) => (counted === unit ? [`${ours} : ${theirs}`] : []));
}

const pairsIn = (text: string) => text.match(/[\d,]+ : [\d,]+/g) ?? [];

it("rates are compared with rates of the same kind: responses with responses, and executed runs with executed runs", () => {
  const rows = sectionOf("Beside others").split("\n");
  const columns = [...textOf("docs/comparison.md").matchAll(/^\| [^|]+ \| ([^|]+) \| ([^|]+) \| (?:both|ours)/gm)];
  const found = {
    responses: [
      ...rows.filter((row) => row.startsWith("| Responses a second")),
      ...columns.map(([, first = ""]) => first),
    ],
    runs: [
      ...rows.filter((row) => row.startsWith("| Executed runs a second")),
      ...columns.map(([, , next = ""]) => next),
    ],
  };
  const [responses, runs] = [found.responses.flatMap(pairsIn), found.runs.flatMap(pairsIn)];
  expect([responses.length, runs.length]).toEqual([5, 3]);
  expect(responses.filter((pair) => !measuredPairs("answers a second").includes(pair))).toEqual([]);
  expect(runs.filter((pair) => !measuredPairs("accepted and executed a second").includes(pair))).toEqual([]);
  expect(pairsIn(readme + textOf("docs/comparison.md"))).toHaveLength(responses.length + runs.length);
});
