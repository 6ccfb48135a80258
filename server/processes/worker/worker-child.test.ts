import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ManifestEnvironment } from "../../contract/project/manifest.ts";
import { workerEnvironment } from "./worker-child.ts";

type Environment = Partial<ManifestEnvironment> & { code?: string };

const secret = { name: "A_SECRET", triggers: ["triggers/a.ts"], isOnlyVerified: true, isExpected: false };

/** Returns what a worker gets of the given variables, whose values are `whsec_value`: the current build is first. */
function environmentOf(names: readonly string[], builds: readonly Environment[]): NodeJS.ProcessEnv {
  const stateDir = mkdtempSync(join(tmpdir(), "signalbox-env-"));
  onTestFinished(() => rmSync(stateDir, { recursive: true }));
  for (const [index, { code = "", ...environment }] of builds.entries()) {
    const folder = `builds/${index}`;
    const manifest = JSON.stringify({
      folder,
      sources: "sources.mjs",
      environment: { reads: [], readsAny: false, secrets: [], ...environment },
    });
    mkdirSync(join(stateDir, folder, "code"), { recursive: true });
    writeFileSync(join(stateDir, folder, "code/a.mjs"), code);
    for (const path of index === 0 ? [folder, "."] : [folder])
      writeFileSync(join(stateDir, path, "manifest.json"), manifest);
  }
  return workerEnvironment(stateDir, Object.fromEntries(names.map((name) => [name, "whsec_value"])));
}

/** The names of the variables that it gets with their values. */
function needs(names: readonly string[], ...builds: Environment[]): string[] {
  const env = environmentOf(names, builds);
  return names.filter((name) => env[name] === "whsec_value");
}

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
    expect(needs(names, { reads: names })).toEqual([]);
  });

  test.each([
    ["the token of commands", "SIGNALBOX_TOKEN"],
    ["the address of the store", "SIGNALBOX_DATABASE_URL"],
  ])("%s, unless the code of the project names it", (_what, name) => {
    expect(needs([name], {})).toEqual([]);
    expect(needs([name], { code: `// node_modules/x/index.js\nprocess.env.${name}` })).toEqual([]);
    expect(needs([name], { reads: [name] })).toEqual([name]);
    expect(needs([name], {}, { reads: [name] })).toEqual([name]);
  });

  test("a secret with which the code only verifies", () => {
    expect(needs(["A_SECRET", "OTHER"], { secrets: [secret] })).toEqual(["OTHER"]);
    expect(needs(["A_SECRET"], { secrets: [secret] }, { secrets: [secret] }, {})).toEqual([]);
  });

  test("but a placeholder, if the code expects it", () => {
    const expected = { ...secret, isExpected: true };
    expect(environmentOf(["A_SECRET"], [{ secrets: [secret] }, { secrets: [expected] }])["A_SECRET"]).toBe(
      "whsec_aaaaa",
    );
  });
});

describe("a worker gets", () => {
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
    expect(needs(names, { secrets: [secret] })).toEqual(names);
  });

  test("a secret that its code also reads", () => {
    expect(needs(["A_SECRET"], { secrets: [{ ...secret, isOnlyVerified: false }] })).toEqual(["A_SECRET"]);
  });

  test.each<[string, Environment]>([
    ["reads it", { secrets: [{ ...secret, isOnlyVerified: false }] }],
    ["has it in a package, and verifies nothing", { code: "process.env.A_SECRET" }],
    ["may read any variable", { readsAny: true }],
  ])("a secret if the build of an open run %s", (_, older) => {
    expect(needs(["A_SECRET"], { secrets: [secret] }, older)).toEqual(["A_SECRET"]);
  });
});
