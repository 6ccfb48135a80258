import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { selectWebVariables } from "./child-environment.ts";

/** Returns the given variables that the web process of a project gets. */
function needs(p: { sources: string; code: string }, names: readonly string[]): string[] {
  const stateDir = mkdtempSync(join(tmpdir(), "signalbox-env-"));
  onTestFinished(() => rmSync(stateDir, { recursive: true }));
  mkdirSync(join(stateDir, "builds/1/code/agents"), { recursive: true });
  writeFileSync(join(stateDir, "manifest.json"), JSON.stringify({ folder: "builds/1", sources: "sources.mjs" }));
  writeFileSync(join(stateDir, "builds/1/sources.mjs"), p.sources);
  writeFileSync(join(stateDir, "builds/1/code/agents/a.mjs"), p.code);
  return names.filter(selectWebVariables(stateDir));
}

const plain = { sources: "export const triggers = []", code: "" };

describe("the web process gets", () => {
  test("its settings, even if workers read them as well", () => {
    const names = [
      "SIGNALBOX_SECRET",
      "SIGNALBOX_DATABASE_URL",
      "NODE_EXTRA_CA_CERTS",
      "OTEL_EXPORTER_OTLP_HEADERS",
      "PATH",
      "HOME",
      "TZ",
      "LC_ALL",
      "https_proxy",
      "NO_PROXY",
      "SSL_CERT_FILE",
      "PGPASSWORD",
      "PORT",
    ];
    expect(needs({ ...plain, code: names.map((name) => `process.env.${name}`).join() }, names)).toEqual(names);
  });

  test("no key of a model provider, also if the provider's package reads it by itself", () => {
    const keys = [
      "OPENAI_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "GOOGLE_GENERATIVE_AI_API_KEY",
      "AWS_SECRET_ACCESS_KEY",
      "REPLICATE_API_TOKEN",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "AZURE_API_KEY",
      "API_KEY",
    ];
    expect(needs(plain, keys)).toEqual([]);
  });

  test("all variables except those that only workers read, under any name", () => {
    const code = 'const key = process.env["MODEL_KEY"]; const { CRM_TOKEN: a } = process.env; process.env.MAIL_KEYS';
    expect(needs({ ...plain, code }, ["MODEL_KEY", "CRM_TOKEN", "MAIL_KEY", "UNHEARD_OF"])).toEqual([
      "MAIL_KEY",
      "UNHEARD_OF",
    ]);
  });

  test("variables that a trigger names, even if other definitions name them, too", () => {
    const names = ["OPENAI_API_KEY", "CRM_SECRET", "NEW_SECRET"];
    const sources =
      'github({ secret: process.env.OPENAI_API_KEY }); hmac({ secret: process.env["CRM_SECRET"] }); z.object({ NEW_SECRET: z.string() }).parse(process.env)';
    expect(needs({ sources, code: names.join() }, names)).toEqual(names);
  });

  test.each([
    "process.env[`${name}_SECRET`]",
    "process.env[name]",
    "const { [name]: secret } = process.env",
    "read(process.env)",
    "const { env } = process",
    'import { env } from "node:process"',
  ])("all but keys of providers if a trigger computes the names: %s", (sources) =>
    expect(needs({ sources, code: "CRM_SECRET OPENAI_API_KEY" }, ["CRM_SECRET", "OPENAI_API_KEY"])).toEqual([
      "CRM_SECRET",
    ]),
  );

  test.each(["process.env.A", 'process.env["A"]', "process.env?.A", "the process of a request"])(
    "no other variables if the trigger names those that it reads: %s",
    (sources) => expect(needs({ sources, code: "CRM_SECRET" }, ["CRM_SECRET"])).toEqual([]),
  );

  test("no key of a provider if there is no build", () => {
    expect(
      ["OPENAI_API_KEY", "CRM_SECRET", "PATH"].filter(selectWebVariables(join(tmpdir(), "signalbox-nowhere"))),
    ).toEqual(["CRM_SECRET", "PATH"]);
  });
});
