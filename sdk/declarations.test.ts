import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runTsc } from "./testing/run-tsc.ts";

const repository = join(import.meta.dirname, "..");
const project = mkdtempSync(join(tmpdir(), "signalbox-types-"));
const installed = join(project, "node_modules/signalbox");

beforeAll(() => {
  mkdirSync(installed, { recursive: true });
  const errors = runTsc(join(repository, "sdk/tsconfig.build.json"), ["--outDir", join(installed, "dist/types")]);
  if (errors.length > 0) throw new Error(`The SDK does not compile: ${errors[0]?.message}`);
  cpSync(join(repository, "package.json"), join(installed, "package.json"));
  symlinkSync(join(repository, "node_modules/zod"), join(project, "node_modules/zod"));
  writeFileSync(join(project, "package.json"), `{ "type": "module" }`);
  mkdirSync(join(project, "triggers"));
  mkdirSync(join(project, "workflows"));
  mkdirSync(join(project, "agents"));
  writeFileSync(join(project, "agents/triage.ts"), triage);
  writeFileSync(join(project, "triggers/ticket.ts"), ticket);
  writeFileSync(join(project, "workflows/welcome.ts"), welcome);
  writeFileSync(join(project, "triggers/signup.ts"), signup("../workflows/welcome.js"));
  writeFileSync(join(project, "triggers/extensionless.ts"), signup("../workflows/welcome"));
  writeFileSync(join(project, "start-welcome.ts"), startWelcome);
  writeFileSync(
    join(project, "signalbox.config.ts"),
    `import { defineConfig } from "signalbox/config";\nexport default defineConfig({ name: "Types" });\n`,
  );
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

describe("the published declarations", () => {
  it.each([
    ["nodenext", { module: "nodenext", moduleResolution: "nodenext" }, ["signup.ts", "ticket.ts"]],
    ["bundler", { module: "preserve", moduleResolution: "bundler" }, ["signup.ts", "extensionless.ts"]],
  ])(
    "compile in a strict project with moduleResolution %s, down to its own declarations",
    (name, options, triggers) => {
      expect(compile(name, options, triggers)).toEqual([]);
      const declared = readFileSync(join(project, `types-${name}/triggers/signup.d.ts`), "utf8");
      expect(declared).toContain(`import("signalbox/trigger").Trigger<"signup", {`);
      expect(declared).not.toMatch(/any|dist\/types/);
    },
  );

  it("still reject a transform that does not match", () => {
    writeFileSync(
      join(project, "triggers/wrong.ts"),
      signup("../workflows/welcome.js").replace("to: payload.id", "too: payload.id"),
    );
    const errors = compile("wrong", { module: "nodenext", moduleResolution: "nodenext" }, ["wrong.ts"]);
    expect(errors.map(({ line }) => line)).toEqual([9]);
    expect(errors[0]?.message).toContain("The workflow's input has no field too");
  });

  it("import only each other", () => {
    const files = readdirSync(join(installed, "dist/types"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    expect(files).toContain(join("sdk", "trigger", "index.d.ts"));
    for (const file of files) {
      expect(file).toMatch(/^sdk/);
      const text = readFileSync(join(installed, "dist/types", file), "utf8");
      const specifiers = Array.from(text.matchAll(/^(?:import|export) .*from "([^"]+)";$/gm), ([, name]) => name);
      // `signalbox/testing/jest` extends the assertions of Jest, which are in this package.
      const allowed = file.endsWith("jest.d.ts") ? /^(\.\.?\/|expect$)/ : /^\.\.?\//;
      for (const specifier of specifiers) expect(specifier).toMatch(allowed);
    }
  });
});

function compile(name: string, options: Record<string, string>, triggers: string[]) {
  const tsconfig = join(project, `tsconfig.${name}.json`);
  const compilerOptions = {
    ...options,
    target: "es2022",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    declaration: true,
    outDir: `types-${name}`,
    rootDir: ".",
    types: [],
    lib: ["es2022", "dom"],
  };
  writeFileSync(
    tsconfig,
    JSON.stringify({
      compilerOptions,
      files: ["signalbox.config.ts", "start-welcome.ts", ...triggers.map((file) => `triggers/${file}`)],
    }),
  );
  return runTsc(tsconfig);
}

const triage = `import { defineAgent, defineTool } from "signalbox/agent";
import { z } from "zod";

const model = { specificationVersion: "v4", provider: "mine", modelId: "mine-1", doStream: () => Promise.resolve({ stream: null }) };

export default defineAgent({
  slug: "triage",
  model,
  instructions: "Sort.",
  tools: { note: defineTool({ description: "Notes", inputSchema: z.object({ text: z.string() }), execute: ({ text }, { idempotencyKey }) => text + idempotencyKey }) },
  output: z.object({ queue: z.string() }),
});
`;

const ticket = `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import triage from "../agents/triage.js";

export default defineWebhookSource({ slug: "ticket", endpoint: "ticket", request: z.object({ subject: z.string() }) }).attach({
  agent: triage,
  transform: ({ subject }) => ({ words: subject.split(" ") }),
  prompt: "Words: {{ words.0 }}",
});
`;

const welcome = `import { defineWorkflow, type WorkflowContext } from "signalbox/workflow";
import { z } from "zod";
import { z as z3 } from "zod/v3";

export default defineWorkflow({
  slug: "welcome",
  input: z3.object({ to: z3.string() }),
  output: z.object({ messageId: z.string() }),
  async run(input, ctx) {
    return { messageId: await send(input.to, ctx) };
  },
});

const send = (to: string, ctx: WorkflowContext): Promise<string> => ctx.step("send", ({ idempotencyKey }) => to + idempotencyKey);
`;

const startWelcome = `import { createClient } from "signalbox/client";
import type welcome from "./workflows/welcome.js";

const client = createClient({ url: "http://127.0.0.1:3002" });
export const run = await client.start<typeof welcome>("welcome", { to: "ada" });
export const { messageId } = await client.waitFor(run);
export const length: number = messageId.length;
`;

function signup(workflow: string): string {
  return `import { defineWebhookSource } from "signalbox/trigger";
import { github, type Verification } from "signalbox/verify";
import { z } from "zod";
import welcome from "${workflow}";

export const verify: Verification = github({ secret: "a secret of some length" });
export default defineWebhookSource({ slug: "signup", endpoint: "signup", request: z.object({ id: z.string(), at: z.iso.date().optional() }), verify, dedupe: { field: "/id" } }).attach({
  workflow: welcome,
  transform: (payload) => ({ to: payload.id }),
});
`;
}
