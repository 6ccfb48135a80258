import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse } from "acorn";
import { transformSync } from "esbuild";
import { expect, it } from "vitest";
import { checkRegexes, keyOf } from "../cli/build/schema/check-regex.ts";
import type { Pattern } from "../cli/build/schema/count-backtracking.ts";

/** Files whose expressions read nothing that a sender or a model wrote, and what they read instead. */
const trusted: Record<string, string> = {
  "cli/build/": "the code and the packages of the project",
  "cli/commands/init/": "the folder of a new project",
  "server/project/verification-secrets.ts": "the code of the project, and settings",
  "server/processes/child-environment.ts": "the code of the project",
  "server/config.ts": "settings",
  "server/config/environment.ts": "the names of variables in the environment",
  "server/contract/tracing-settings.ts": "settings",
  "server/identity/oidc-sign-in.ts": "settings",
  "cli/api/running-server.ts": "settings",
  "sdk/client/create-client.ts": "settings",
  "sdk/verify/secrets.ts": "settings",
  "sdk/verify/senders/sns.ts": "certificates of AWS",
  "cli/commands/dev/feed/feed-stream.ts": "settings",
  "cli/commands/options.ts": "arguments of a command",
  "server/http/rest/examples/add-examples.ts": "the paths of the API",
  "server/shared/schema/sample-pattern.ts": "schemas of the project",
  "server/shared/schema/describe-schema.ts": "schemas of the project",
  "server/mcp/search-docs.ts": "the documentation, and a question of at most 200 characters",
  "components/sheets/trigger/trigger-facts.ts": "the code of the project",
  "components/run-form/draft/field-texts.ts": "what a person types",
  "components/run-form/draft/notation-issues.ts": "what a person types",
  "components/search/entry.ts": "what a person types",
  "sdk/agent/scripted-model.ts": "prompts of a test",
};

/** Expressions that only short texts reach, and their maximum length. */
const ofShortTexts: Record<string, string> = {
  "/0+$/": "a formatted number",
  "/(?=[A-Za-z]*\\d[A-Za-z]*\\d)[A-Za-z0-9]{10}/": "60 characters",
  "/[_-](?=[A-Za-z]*\\d)[\\dA-Za-z]{12,}$/": "64 characters",
  "/^(?=(?:[A-Za-z]*\\d+){3})[\\dA-Za-z]{16,}$/": "64 characters",
};

const isTrusted = (file: string) => Object.keys(trusted).some((path) => file.startsWith(path));

const files = execFileSync("git", ["ls-files", "app", "cli", "components", "sdk", "server"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.[cm]?tsx?$/.test(file) && !/\.test\.tsx?$|\/testing\/|\/golden\/|\.d\.ts$/.test(file));

/** The regular expressions of a file. */
function readRegexes(file: string): Pattern[] {
  const loader = file.endsWith("x") ? "tsx" : "ts";
  const { code } = transformSync(readFileSync(file, "utf8"), { loader, target: "esnext", jsx: "automatic" });
  const found: Pattern[] = [];
  parse(code, {
    ecmaVersion: "latest",
    sourceType: "module",
    allowHashBang: true,
    onToken(token) {
      if (token.type.label !== "regexp" || !("value" in token)) return;
      const { pattern, flags } = token.value as { pattern: string; flags: string };
      found.push({ source: pattern, flags });
    },
  });
  return found;
}

it("no text of a sender blocks a regular expression of the product: each passes the check of a project's expressions", async () => {
  const checked = new Map<string, { pattern: Pattern; file: string }>();
  for (const file of files.filter((each) => !isTrusted(each)))
    for (const pattern of readRegexes(file)) checked.set(keyOf(pattern), { pattern, file });
  for (const key of Object.keys(ofShortTexts)) expect(checked.delete(key), key).toBe(true);
  expect(checked.size).toBeGreaterThan(200);
  const patterns = [...checked.values()].map(({ pattern }) => pattern);
  const verdicts = await checkRegexes(patterns, { timeoutMs: 60_000 });
  const unsafe = [...checked].flatMap(([key, { file }], at) => {
    const verdict = verdicts[at];
    return verdict?.status === "safe" ? [] : [{ key, file, verdict }];
  });
  expect(unsafe).toEqual([]);
});

it("the list of trusted files is no longer than necessary", () => {
  for (const path of Object.keys(trusted))
    expect(
      files.some((file) => file.startsWith(path) && readRegexes(file).length > 0),
      path,
    ).toBe(true);
});
