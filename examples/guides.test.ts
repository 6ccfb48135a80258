import { cpSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildProject } from "../cli/build/build-project.ts";
import { renderDiagnostics } from "../cli/build/diagnostics/diagnostic.ts";
import { makeProject } from "../cli/build/testing/make-project.ts";
import { sdkEntries } from "../server/paths.ts";
import { runTsc } from "../sdk/testing/run-tsc.ts";

const repository = join(import.meta.dirname, "..");
const ofStarter = (path: string) => readFileSync(join(repository, "examples/starter", path), "utf8");
const textOf = (page: string) => readFileSync(join(repository, page), "utf8");

/** Examples of code: a block of TypeScript or JavaScript whose first line names its file. */
const examplesOf = (page: string) =>
  [...textOf(page).matchAll(/```(?:ts|js)\n\/\/ (\S+)\n([^]*?)```/g)].map(([, path = "", text = ""]) => ({
    path,
    text,
  }));
const pages = globSync(["README.md", "docs/*.md"], { cwd: repository })
  .filter((page) => /^```(?:ts|js|tsx|jsx|typescript|javascript)$/m.test(textOf(page)))
  .sort();

/** A page that changes a file shows it again: the examples in groups, each with every file once. */
function versionsOf(examples: { path: string; text: string }[]): { path: string; text: string }[][] {
  const groups: { path: string; text: string }[][] = [];
  for (const example of examples) {
    const group = groups.at(-1);
    if (!group || group.some(({ path }) => path === example.path)) groups.push([example]);
    else group.push(example);
  }
  return groups;
}

/** What a page imports from another page, and says so. */
const fromElsewhere: Record<string, { page: string; path: string }[]> = {
  "docs/workflows.md": [{ page: "docs/sdk.md", path: "lib/mail.ts" }],
};

it("are found", () => {
  expect(pages).toEqual(
    expect.arrayContaining([
      "README.md",
      "docs/agents.md",
      "docs/build.md",
      "docs/receiving.md",
      "docs/sdk.md",
      "docs/tracing.md",
      "docs/workflows.md",
    ]),
  );
});

it.each([
  ["docs/testing.md", ["tests/new-signup.test.ts"]],
  ["docs/agents.md", ["agents/triage.ts", "triggers/new-issue.ts", "lib/model.ts", "lib/scripted-model.ts"]],
  [
    "docs/receiving.md",
    [
      "triggers/new-signup.ts",
      "triggers/billing/_invoice-event.ts",
      "triggers/billing/invoice-paid.ts",
      "triggers/billing/large-invoice.ts",
    ],
  ],
])("%s shows files of the example project as they are", (page, paths) => {
  for (const path of paths) expect(textOf(page)).toContain(`\`\`\`ts\n// ${path}\n${ofStarter(path)}\`\`\``);
});

describe.each(pages)("the examples in %s", (page) => {
  const examples = examplesOf(page);

  it("each name their file", () => {
    expect(textOf(page).match(/^```(?:ts|js|tsx|jsx|typescript|javascript)$/gm)).toHaveLength(examples.length);
  });

  it("type-check and build in the project that `signalbox init` creates", async () => {
    const project = makeProject();
    cpSync(join(repository, "examples/starter"), project, {
      recursive: true,
      filter: (path) => !/\/(\.signalbox|outbox|node_modules)$/.test(path),
    });
    renameSync(join(project, "gitignore"), join(project, ".gitignore"));
    const added = (fromElsewhere[page] ?? []).map(({ page: other, path }) => {
      const found = examplesOf(other).find((example) => example.path === path);
      if (!found) throw new Error(`${other} has no example ${path}`);
      return found;
    });
    const paths = {
      ...Object.fromEntries(
        sdkEntries.map((name) => [`signalbox/${name}`, [join(repository, "sdk", name, "index.ts")]]),
      ),
      "signalbox/testing": [join(repository, "sdk/test-project/index.ts")],
      "signalbox/testing/jest": [join(repository, "sdk/test-project/jest.ts")],
      "signalbox/testing/vitest": [join(repository, "sdk/test-project/vitest.ts")],
    };
    const compilerOptions = { paths, allowJs: true, checkJs: true, allowImportingTsExtensions: true };
    writeFileSync(
      join(project, "tsconfig.docs.json"),
      JSON.stringify({ extends: "./tsconfig.json", compilerOptions, include: ["**/*.ts", "**/*.js"] }),
    );
    for (const files of versionsOf([...added, ...examples])) {
      for (const { path, text } of files) {
        mkdirSync(dirname(join(project, path)), { recursive: true });
        writeFileSync(join(project, path), text);
      }
      expect(runTsc(join(project, "tsconfig.docs.json"))).toEqual([]);
      const built = await buildProject({ projectDir: project });
      const found = (built.ok ? built.warnings : built.diagnostics).filter(({ code }) => code !== "missing_secret");
      expect(renderDiagnostics(found, { color: false })).toBe("");
      expect(built.ok).toBe(true);
    }
  }, 60_000);
});
