import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { workerEnvironment } from "./worker-child.ts";

/** Functions of `signalbox/verify` in a build. */
const sdkWith = (...names: string[]) => ({
  "code/chunks/sdk.mjs": `// signalbox:dist/sdk/verify.js\n${names.map((name) => `function ${name}(options) {}\n`).join("")}`,
});

/** Returns the given variables that a worker of a project with this code gets. */
function needs(code: Record<string, string>, names: readonly string[]): string[] {
  const files = { ...sdkWith("github", "hmac", "standardWebhooks", "stripe", "svix"), ...code };
  const stateDir = mkdtempSync(join(tmpdir(), "signalbox-env-"));
  onTestFinished(() => rmSync(stateDir, { recursive: true }));
  for (const [path, text] of Object.entries({ "sources.mjs": "", ...files })) {
    mkdirSync(dirname(join(stateDir, "builds/1", path)), { recursive: true });
    writeFileSync(join(stateDir, "builds/1", path), text);
  }
  writeFileSync(join(stateDir, "manifest.json"), JSON.stringify({ folder: "builds/1", sources: "sources.mjs" }));
  const env = workerEnvironment(stateDir, Object.fromEntries(names.map((name) => [name, "its value"])));
  return names.filter((name) => env[name] === "its value");
}

const trigger = (verify: string, rest = "") => ({
  "code/triggers/a.mjs": `// triggers/a.ts\nvar a = defineWebhookSource({ slug: "a", verify: ${verify} }).attach({ workflow: note${rest} });\n`,
});

describe("a worker does not get", () => {
  test("variables that only the service needs, even if a definition names them", () => {
    const names = [
      "SIGNALBOX_SECRET",
      "SIGNALBOX_ENCRYPTION_KEYS",
      "SIGNALBOX_ENCRYPTION_KEYS_FILE",
      "SIGNALBOX_OIDC_CLIENT_SECRET",
      "SIGNALBOX_ALERT_SLACK_URL",
      "SIGNALBOX_OIDC_ISSUER",
    ];
    expect(needs({ "code/workflows/a.mjs": names.map((name) => `process.env.${name}`).join() }, names)).toEqual([]);
  });

  test.each([
    ["the token of commands", "SIGNALBOX_TOKEN"],
    ["the address of the store", "SIGNALBOX_DATABASE_URL"],
  ])("%s, unless a workflow names it", (_what, name) => {
    expect(needs({}, [name])).toEqual([]);
    expect(needs({ "code/workflows/a.mjs": `// node_modules/x/index.js\nprocess.env.${name}` }, [name])).toEqual([]);
    expect(needs({ "code/workflows/a.mjs": `process.env.${name}` }, [name])).toEqual([name]);
  });

  test.each([
    "github({ secret: process.env.A_SECRET })",
    'github({ secret: process.env["A_SECRET"] })',
    'github({ secret: process.env.A_SECRET ?? "" })',
    "svix({ secret: process.env.A_SECRET })",
    "github2({ secret: process.env.A_SECRET })",
    "process.env.A_SECRET ? github({ secret: process.env.A_SECRET }) : void 0",
    'process.env["A_SECRET"] && github({ secret: process.env["A_SECRET"] })',
    "verify.github({ secret: process.env.A_SECRET })",
    'hmac({ header: "x-s", timestamp: { header: "x-t", unit: "ms" }, secret: process.env.A_SECRET, prefix: "v1=" })',
    'stripe({\n  tolerance: "1m",\n  secret: process.env.A_SECRET\n})',
  ])("the secret of %s", (verify) => {
    expect(needs(trigger(verify), ["A_SECRET", "OTHER"])).toEqual(["OTHER"]);
  });

  test.each([
    ["secret", "github({ secret })"],
    ["mine", 'hmac({ header: "x", secret: mine })'],
    ["mine", "github({ secret: [mine, process.env.OLD_SECRET] })"],
  ])("a secret in a constant: %s in %s", (constant, verify) => {
    const file = `// triggers/a.ts\nvar ${constant} = process.env.A_SECRET || "";\nvar a = source({ verify: ${verify} });\n// signalbox:sdk/verify/secrets.ts\nfunction read(secret, mine) {}\n`;
    expect(
      needs({ "code/triggers/a.mjs": file, "code/triggers/b.mjs": file.replaceAll("A_SECRET", "B_SECRET") }, [
        "A_SECRET",
        "B_SECRET",
      ]),
    ).toEqual([]);
  });

  test("the secrets of a list, also if triggers share them", () => {
    const files = {
      ...trigger("both"),
      "code/chunks/b.mjs":
        '// lib/both.ts\nvar both = standardWebhooks({ secret: [process.env.NEW_SECRET, process.env["OLD_SECRET"]] });\n',
    };
    expect(needs(files, ["NEW_SECRET", "OLD_SECRET"])).toEqual([]);
  });
});

test("a project whose own function has the name of an unused one of signalbox/verify keeps its variable", () => {
  const workflow = "// workflows/w.ts\nvar client = square({ secret: process.env.A_SECRET });\n";
  const files = (name: string) => ({ ...sdkWith(name), "code/workflows/w.mjs": workflow });
  expect(needs(files("github"), ["A_SECRET"])).toEqual(["A_SECRET"]);
  expect(needs(files("square"), ["A_SECRET"])).toEqual([]);
});

describe("a worker gets", () => {
  const github = "github({ secret: process.env.A_SECRET })";

  test("its settings, and variables that the build does not mention", () => {
    const names = [
      "SIGNALBOX_WORKERS",
      "SIGNALBOX_LOG_LEVEL",
      "SIGNALBOX_BASE_URL",
      "PATH",
      "HOME",
      "PGPASSWORD",
      "OPENAI_API_KEY",
      "UNHEARD_OF",
    ];
    expect(needs(trigger(github), names)).toEqual(names);
  });

  test.each<[string, Record<string, string>]>([
    ["a workflow", { ...trigger(github), "code/workflows/w.mjs": "// workflows/w.ts\nprocess.env.A_SECRET" }],
    [
      "a workflow, by a name in quotes",
      { ...trigger(github), "code/workflows/w.mjs": '// workflows/w.ts\nrequire("A_SECRET")' },
    ],
    [
      "a workflow, of all of the environment",
      { ...trigger(github), "code/workflows/w.mjs": "// workflows/w.ts\nvar { A_SECRET } = process.env" },
    ],
    ["an agent's tool", { ...trigger(github), "code/chunks/c.mjs": "// lib/tools.ts\nprocess.env.A_SECRET" }],
    ["a transform", trigger(github, ", transform: (x) => ({ x, by: process.env.A_SECRET })")],
    [
      "something else of the same call",
      trigger("hmac({ header: process.env.A_SECRET, secret: process.env.A_SECRET })"),
    ],
    [
      "something else, by a constant",
      {
        "code/triggers/a.mjs":
          "// triggers/a.ts\nvar secret = process.env.A_SECRET;\nvar a = source({ verify: github({ secret }) }).attach({ transform: () => ({ by: secret }) });\n",
      },
    ],
    [
      "another module, by a constant",
      {
        "code/chunks/a.mjs":
          "// lib/a.ts\nvar secret = process.env.A_SECRET;\nvar verify = github({ secret });\nexport { secret, verify };\n",
      },
    ],
    [
      "a workflow in the same file, by a constant",
      {
        "code/chunks/a.mjs":
          "// lib/a.ts\nvar secret = process.env.A_SECRET;\nvar verify = github({ secret });\n// workflows/b.ts\nvar b = workflow({ run: () => sign(secret) });\n",
      },
    ],
    [
      "code of the project that computes names",
      { ...trigger(github), "code/workflows/w.mjs": "// workflows/w.ts\nprocess.env[`${name}_SECRET`]" },
    ],
  ])("a secret that is also read by %s", (_, files) => {
    expect(needs(files, ["A_SECRET"])).toEqual(["A_SECRET"]);
  });

  // Without the variable, such a module would throw while it loads, or behave differently.
  test.each([
    "github({ secret: process.env.A_SECRET.trim() })",
    'github({ secret: required("A_SECRET") })',
    "github({ secret })",
    "other({ secret: process.env.A_SECRET })",
    'github({ secret: process.env.A_SECRET ?? fail("x") })',
  ])("a secret that the module may need to load: %s", (verify) =>
    expect(needs(trigger(verify), ["A_SECRET"])).toEqual(["A_SECRET"]),
  );

  test("no secret only because a package computes names", () => {
    const files = {
      ...trigger(github),
      "code/chunks/c.mjs": "// node_modules/pkg/index.js\nprocess.env[key]\n// signalbox:sdk/x.ts\nprocess.env[key]",
    };
    expect(needs(files, ["A_SECRET"])).toEqual([]);
  });
});
