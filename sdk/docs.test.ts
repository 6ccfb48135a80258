import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runTsc } from "./testing/run-tsc.ts";

const repository = join(import.meta.dirname, "..");
const ofStarter = (path: string) => readFileSync(join(repository, "examples/starter", path), "utf8");
const projects: string[] = [];
afterAll(() => {
  for (const project of projects) rmSync(project, { recursive: true, force: true });
});

/** What the examples use and the guide does not spell out. */
const unsaid = {
  "workflows/notify-finance.ts": `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
export default defineWorkflow({ slug: "notify-finance", input: z.object({ subject: z.string() }), run() {} });
`,
  "lib/known-issues.ts": ofStarter("lib/known-issues.ts"),
  "lib/outbox.ts": ofStarter("lib/outbox.ts"),
  "workflows/answer.js": `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
export default defineWorkflow({ slug: "answer", input: z.object({}), run: () => "pong" });
`,
};

it.each(["agents/triage.ts", "triggers/new-issue.ts", "lib/model.ts", "lib/stand-in.ts"])("docs/agents.md shows %s of the example project as it is", (path) => {
  expect(readFileSync(join(repository, "docs/agents.md"), "utf8")).toContain(`\`\`\`ts\n// ${path}\n${ofStarter(path)}\`\`\``);
});

describe.each(["sdk", "agents"])("the guide docs/%s.md", (name) => {
  const guide = readFileSync(join(repository, `docs/${name}.md`), "utf8");
  const project = mkdtempSync(join(tmpdir(), "signalbox-docs-"));
  projects.push(project);
  const examples = [...guide.matchAll(/```(?:ts|js)\n\/\/ (\S+)\n([^]*?)```/g)].map(([, path = "", text = ""]) => ({ path, text }));

  it("names a file for each of its examples", () => {
    expect(examples.length).toBeGreaterThan(4);
    expect(guide.match(/^```(?:ts|js)$/gm)).toHaveLength(examples.length);
  });

  it("has examples that compile together as a project", () => {
    for (const { path, text } of [...examples, ...Object.entries(unsaid).map(([path, text]) => ({ path, text }))]) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    }
    symlinkSync(join(repository, "node_modules"), join(project, "node_modules"));
    const paths = Object.fromEntries(["trigger", "workflow", "agent", "verify", "config"].map((door) => [`signalbox/${door}`, [join(repository, "sdk", door, "index.ts")]]));
    const compilerOptions = { paths, allowJs: true, checkJs: true, incremental: false, tsBuildInfoFile: null };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ extends: join(repository, "tsconfig.json"), compilerOptions, include: ["**/*"], exclude: ["node_modules"] }));
    expect(runTsc(project)).toEqual([]);
  });
});
