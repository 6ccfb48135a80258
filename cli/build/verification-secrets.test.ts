import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { selectWorkerVariables } from "../../server/processes/worker/worker-child.ts";
import { findVerificationSecrets } from "../../server/project/verification-secrets.ts";
import { buildProject } from "./build-project.ts";
import { renderDiagnostics } from "./diagnostics/diagnostic.ts";
import { makeProject } from "./testing/make-project.ts";

/** A source of each typed sender, with the value of its option `secret`. */
const typedSources = {
  github: ["push", "ref"],
  shopify: ["orders/create", "name"],
  slack: ["app_mention", "event.text"],
  stripe: ["invoice.paid", "data.object.id"],
  twilio: ["message.received", "Body"],
} as const;

/** Ways to read a variable: code of the module before the source, and the options. */
const forms: Record<string, (variable: string) => { before?: string; option: string }> = {
  DIRECT: (name) => ({ option: `secret: process.env.${name}` }),
  BRACKETS: (name) => ({ option: `secret: process.env["${name}"] ?? ""` }),
  LIST: (name) => ({ option: `secret: [process.env.${name}, process.env.${name}_OLD]` }),
  CONSTANT: (name) => ({ before: `const mine = process.env.${name};`, option: "secret: mine" }),
  SHORTHAND: (name) => ({ before: `const secret = process.env.${name} || "";`, option: "secret" }),
  DESTRUCTURED: (name) => ({ before: `const { ${name} } = process.env;`, option: `secret: ${name}` }),
  RENAMED: (name) => ({
    before: `const {\n  ${name}: mine = "",\n  ${name}_OTHER,\n} = process.env;`,
    option: `secret: mine, rateLimit: ${name}_OTHER ? { requests: 1, per: "second" } : { requests: 2, per: "second" }`,
  }),
  ALIAS: (name) => ({ before: "const env = process.env;", option: `secret: env.${name}` }),
  SHARED_ALIAS: (name) => ({ before: 'import { settings } from "../lib/env";', option: `secret: settings["${name}"]` }),
  NODE_ENV_IMPORT: (name) => ({ before: 'import { env } from "node:process";', option: `secret: env.${name}` }),
  NODE_PROCESS_IMPORT: (name) => ({ before: 'import proc from "node:process";', option: `secret: proc.env.${name}` }),
  CONDITIONAL: (name) => ({ option: `...(process.env.${name} ? { secret: process.env.${name} } : {})` }),
  AFTER_OTHER_BRACES: (name) => ({
    before: 'import { z } from "zod";',
    option: `filter: z.object({ nothing: z.literal("}").optional() }) as never, secret: process.env.${name}`,
  }),
};

const workflow = `
import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
export default defineWorkflow({ slug: "w", input: z.object({}), run: () => process.env.OF_THE_WORKFLOW });
`;

function projectOf(sources: readonly { sender: keyof typeof typedSources; form: string; variable: string }[]) {
  const files: Record<string, string> = {
    "package.json": '{ "name": "hooks", "type": "module" }',
    "lib/env.ts": "export const settings = process.env;\n",
    "workflows/w.ts": workflow,
  };
  for (const [at, { sender, form, variable }] of sources.entries()) {
    const { before = "", option } = forms[form]?.(variable) ?? { option: "" };
    const [event, path] = typedSources[sender];
    files[`triggers/t${at}.ts`] = `
import { ${sender} } from "signalbox/sources/${sender}";
import w from "../workflows/w";
${before}
export default ${sender}
  .on("${event}", { slug: "t${at}", endpoint: "e${at}", pick: ["${path}"], ${option} })
  .attach({ workflow: w, transform: () => ({}) });
`;
  }
  return makeProject(files);
}

test("the secret of every typed source, in every form, is named with its trigger and withheld from workers", async () => {
  const sources = (Object.keys(typedSources) as (keyof typeof typedSources)[]).flatMap((sender) =>
    Object.keys(forms)
      // The filter of other senders would have to name a field that they pick.
      .filter((form) => form !== "AFTER_OTHER_BRACES")
      .map((form) => ({ sender, form, variable: `${sender.toUpperCase()}_${form}` })),
  );
  const projectDir = projectOf(sources);
  const built = await buildProject({ projectDir });
  if (!built.ok) throw new Error(renderDiagnostics(built.diagnostics, { color: false }));
  const stateDir = join(projectDir, ".signalbox");
  const code = readFileSync(join(stateDir, built.manifest.folder, built.manifest.sources), "utf8");
  const found = new Map(findVerificationSecrets([code]).map((secret) => [secret.name, secret]));
  const isForWorkers = selectWorkerVariables(stateDir);
  for (const [at, { variable }] of sources.entries()) {
    expect(found.get(variable), variable).toEqual({
      name: variable,
      modules: [`triggers/t${at}.ts`],
      isOnlyInVerify: true,
    });
    expect([variable, isForWorkers(variable)]).toEqual([variable, false]);
  }
  expect(["OF_THE_WORKFLOW", "STRIPE_RENAMED_OTHER", "PATH"].every(isForWorkers)).toBe(true);
  const titles = built.warnings.map(({ title }) => title);
  // Without its variable, a conditional secret is none, and nothing is missing.
  for (const [at, { variable, form }] of sources.entries())
    expect([variable, titles.includes(`${variable} is not set: triggers/t${at}.ts`)]).toEqual([
      variable,
      form !== "CONDITIONAL",
    ]);
});
