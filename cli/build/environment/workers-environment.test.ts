import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { workerEnvironment } from "../../../server/processes/worker/worker-child.ts";
import { buildProject } from "../build-project.ts";
import { renderDiagnostics } from "../diagnostics/diagnostic.ts";
import { makeProject, makeWorkspace } from "../testing/make-project.ts";

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
  OPTIONAL_CHAIN: (name) => ({ option: `secret: process.env?.${name}` }),
  OPTIONAL_CHAINS: (name) => ({ before: "const env = process?.env;", option: `secret: env?.["${name}"]` }),
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
  const found = new Map(built.manifest.environment.secrets.map((secret) => [secret.name, secret]));
  const isForWorkers = (name: string) => workerEnvironment(stateDir, { [name]: "value" })[name] !== undefined;
  for (const [at, { variable }] of sources.entries()) {
    expect(found.get(variable), variable).toEqual({
      name: variable,
      triggers: [`triggers/t${at}.ts`],
      isOnlyVerified: true,
      isExpected: false,
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

const checkers = {
  "node_modules/@t3-oss/env-core/package.json":
    '{ "name": "@t3-oss/env-core", "type": "module", "exports": "./index.js" }',
  "node_modules/@t3-oss/env-core/index.js": "export const createEnv = ({ runtimeEnv }) => runtimeEnv;\n",
  "node_modules/envalid/package.json": '{ "name": "envalid", "type": "module", "exports": "./index.js" }',
  "node_modules/envalid/index.js": "export const cleanEnv = (env) => env;\nexport const str = () => ({});\n",
  "node_modules/dotenv/package.json":
    '{ "name": "dotenv", "type": "module", "exports": { ".": "./index.js", "./config": "./index.js" } }',
  "node_modules/dotenv/index.js": "export const config = () => {};\nexport default { config };\n",
};
const zodImport = 'import { z } from "zod";\n';
const schema = 'z.object({ CANARY: z.string().min(16), SHOP_MODE: z.enum(["a", "b"]).optional() })';

/**
 * What a project does with its environment. `env`: lib/env.ts. Default of `secret`: `env.CANARY`, of `workflow`:
 * nothing.
 */
interface Use {
  env: string;
  secret?: string;
  workflow?: string;
}

/** The value that workers get: none, another one of the same length, or the secret. */
const uses: [worker: "nothing" | "a placeholder" | "the secret", form: string, use: Use][] = [
  ["nothing", "a direct read", { env: "", secret: "process.env.CANARY" }],
  ["nothing", "an alias", { env: "export const env = process.env;" }],
  ["nothing", "destructuring", { env: "export const { CANARY } = process.env;", secret: "CANARY" }],
  [
    "nothing",
    "destructuring of an alias",
    { env: "const all = process.env;\nexport const { CANARY, PATH } = all;", secret: "CANARY" },
  ],
  ["nothing", "brackets", { env: "export const env = process.env;", secret: 'env["CANARY"]' }],
  ["a placeholder", "a schema", { env: `${zodImport}export const env = ${schema}.parse(process.env);` }],
  [
    "a placeholder",
    "a function of Zod with a schema",
    { env: `${zodImport}const schema = ${schema};\nexport const env = z.parse(schema, process.env);` },
  ],
  [
    "a placeholder",
    "a prefix that the placeholder has",
    { env: `${zodImport}export const env = z.object({ CANARY: z.string().startsWith("whsec_") }).parse(process.env);` },
  ],
  [
    "a placeholder",
    "a named schema",
    { env: `${zodImport}const schema = ${schema};\nexport const env = schema.parse(process.env);` },
  ],
  [
    "a placeholder",
    "a schema over many lines",
    {
      env: `${zodImport}export const schema = z.object({\n  // of the shop\n  CANARY: z.string().min(16, "too short").describe("of the shop"),\n  PORT: z.coerce.number().default(3000),\n});\nexport const env = schema.parse(process.env);`,
      workflow: "env.PORT",
    },
  ],
  [
    "a placeholder",
    "a schema, and destructuring",
    { env: `${zodImport}export const { CANARY } = ${schema}.parse(process.env);`, secret: "CANARY" },
  ],
  [
    "a placeholder",
    "a schema beside a direct read",
    {
      env: `${zodImport}export const env = ${schema}.parse(process.env);`,
      secret: "process.env.CANARY",
      workflow: "env.SHOP_MODE",
    },
  ],
  [
    "a placeholder",
    "t3-env",
    {
      env: `${zodImport}import { createEnv } from "@t3-oss/env-core";\nexport const env = createEnv({\n  server: { CANARY: z.string().min(16) },\n  runtimeEnv: process.env,\n  emptyStringAsUndefined: true,\n});`,
    },
  ],
  [
    "a placeholder",
    "envalid",
    {
      env: 'import { cleanEnv, str } from "envalid";\nexport const env = cleanEnv(process.env, {\n  CANARY: str({ desc: "of the shop" }),\n});',
    },
  ],
  ["a placeholder", "dotenv", { env: 'import "dotenv/config";\nexport const env = process.env;' }],
  [
    "a placeholder",
    "dotenv by a call",
    { env: 'import dotenv from "dotenv";\ndotenv.config();\nexport const env = process.env;' },
  ],
  [
    "a placeholder",
    "a file loaded by Node",
    {
      env: "process.loadEnvFile?.call(null, new URL(import.meta.url));\nexport const env = process.env;".replace(
        "?.call(null, new URL(import.meta.url))",
        '("/dev/null")',
      ),
    },
  ],

  [
    "the secret",
    "a read in a workflow",
    { env: `${zodImport}export const env = ${schema}.parse(process.env);`, workflow: "env.CANARY" },
  ],
  [
    "the secret",
    "a direct read in a workflow",
    { env: `${zodImport}export const env = ${schema}.parse(process.env);`, workflow: "process.env.CANARY" },
  ],
  [
    "the secret",
    "destructuring in a workflow",
    { env: "export const env = process.env;", workflow: "(({ CANARY }) => CANARY)(env)" },
  ],
  ["the secret", "a computed name", { env: "export const env = process.env;", workflow: 'env["CAN" + "ARY"]' }],
  [
    "the secret",
    "the whole result",
    { env: `${zodImport}export const env = ${schema}.parse(process.env);`, workflow: "Object.keys(env)" },
  ],
  ["a placeholder", "a copy", { env: `${zodImport}export const env = { ...${schema}.parse(process.env) };` }],
  ["nothing", "the rest of a destructuring", { env: "export const { PATH, ...env } = process.env;" }],
  [
    "the secret",
    "a transform of the schema",
    { env: `${zodImport}export const env = ${schema}.transform((all) => ({ ...all })).parse(process.env);` },
  ],
  [
    "the secret",
    "a transform that renames",
    {
      env: `${zodImport}export const env = ${schema}.transform(({ CANARY }) => ({ shop: CANARY })).parse(process.env);`,
      secret: "env.shop",
    },
  ],
  [
    "the secret",
    "a rule that a placeholder may break",
    {
      env: `${zodImport}export const env = z.object({ CANARY: z.string().startsWith("whsec_ca") }).parse(process.env);`,
    },
  ],
  [
    "the secret",
    "a pattern",
    { env: `${zodImport}export const env = z.object({ CANARY: z.string().regex(/[a-z]/) }).parse(process.env);` },
  ],
  [
    "the secret",
    "a refinement",
    {
      env: `${zodImport}export const env = z.object({ CANARY: z.string().refine((text) => text.length > 3) }).parse(process.env);`,
    },
  ],
  [
    "the secret",
    "a function of the project that is named parse",
    {
      env: `${zodImport}const schema = ${schema};\nconst mine = { parse: (_: unknown, all: NodeJS.ProcessEnv) => ({ ...all }) };\nexport const env = mine.parse(schema, process.env);`,
    },
  ],
  [
    "a placeholder",
    "safeParse",
    {
      env: `${zodImport}const parsed = ${schema}.safeParse(process.env);\nexport const env = parsed.success ? parsed.data : { CANARY: "" };`,
    },
  ],
  [
    "nothing",
    "a function of the project",
    {
      env: "const createEnv = ({ runtimeEnv }: { runtimeEnv: NodeJS.ProcessEnv }) => runtimeEnv;\nexport const env = createEnv({ runtimeEnv: process.env });",
    },
  ],
  [
    "the secret",
    "a method with the name of a scheme, which a workflow calls",
    {
      env: "export const env = process.env;",
      workflow: "({ github: (o: { secret?: string }) => o.secret }).github({ secret: env.CANARY })",
    },
  ],
  [
    "the secret",
    "a method of an object of the project with the name of a scheme",
    {
      env: "export const env = process.env;\nconst client = { github: (o: { secret?: string }) => [o.secret] };\nexport const used = client.github({ secret: env.CANARY });",
    },
  ],
  [
    "the secret",
    "a function of the project with the name of a scheme",
    {
      env: "export const env = process.env;\nfunction github(o: { secret?: string }) { return [o.secret]; }\nexport const used = console.log(github({ secret: env.CANARY }));",
    },
  ],
  [
    "a placeholder",
    "an explicit list for t3-env",
    {
      env: `${zodImport}import { createEnv } from "@t3-oss/env-core";\nexport const env = createEnv({\n  server: { CANARY: z.string() },\n  runtimeEnv: { CANARY: process.env.CANARY },\n});`,
    },
  ],
];

test.each(uses)(
  "workers get %s of a verification by %s",
  async (worker, _, { env, secret, workflow: code = "null" }) => {
    const projectDir = makeWorkspace({
      ...checkers,
      "package.json": '{ "name": "hooks", "type": "module" }',
      "lib/env.ts": `${env}\nexport const nothing = null;\n`,
      "workflows/w.ts": workflow
        .replace("process.env.OF_THE_WORKFLOW", `[nothing, ${code}]`)
        .replace(
          "\n",
          `\nimport { ${/\benv\b/.test(code.replaceAll("process.env", "")) ? "env, " : ""}nothing } from "../lib/env";\n`,
        ),
      "triggers/t.ts": `
import { defineWebhookSource } from "signalbox/trigger";
import { github } from "signalbox/verify";
import { z } from "zod";
import w from "../workflows/w";
import { ${/\bCANARY\b/.test(secret ?? "") && secret === "CANARY" ? "CANARY" : (secret ?? "env").startsWith("env") ? "env" : "nothing"} } from "../lib/env";

export default defineWebhookSource({
  slug: "t", endpoint: "t", request: z.object({}), verify: github({ secret: ${secret ?? "env.CANARY"} }),
}).attach({ workflow: w });
`,
    });
    const value = "whsec_ca1SecretOfTheShop=";
    vi.stubEnv("CANARY", value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const built = await buildProject({ projectDir });
    if (!built.ok) throw new Error(renderDiagnostics(built.diagnostics, { color: false }));
    const given = workerEnvironment(join(projectDir, ".signalbox"), { CANARY: value, OTHER: "1" });
    expect(given["OTHER"]).toBe("1");
    const got = given["CANARY"];
    expect(got === undefined ? "nothing" : got === value ? "the secret" : "a placeholder").toBe(worker);
    expect((got ?? value).length).toBe(value.length);
  },
);
