import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type BuildResult, buildProject } from "./build-project.ts";
import { renderDiagnostics } from "./diagnostics/diagnostic.ts";
import { copyGolden } from "./testing/make-project.ts";

const golden = join(import.meta.dirname, "golden");

describe("every golden project has its expected output", () => {
  // UPDATE_GOLDEN=1 rewrites the expected output. Review the diff before you commit it.
  test.for(readdirSync(golden))("%s", { timeout: 60_000 }, async (name) => {
    const result = await buildProject({
      projectDir: copyGolden(name),
      evaluationTimeoutMs: 1500,
      checkTypes: name.startsWith("bad-types"),
    });
    const { file, text } = name.startsWith("bad-") ? failure(result) : success(result);
    const path = join(golden, name, file);
    if (process.env["UPDATE_GOLDEN"]) writeFileSync(path, text);
    expect(text).toBe(existsSync(path) ? readFileSync(path, "utf8") : `${path} is missing: run with UPDATE_GOLDEN=1`);
  });
});

function failure(result: BuildResult): { file: string; text: string } {
  return {
    file: "expected.txt",
    text: result.ok ? "It builds.\n" : renderDiagnostics(result.diagnostics, { color: false }),
  };
}

function success(result: BuildResult): { file: string; text: string } {
  if (!result.ok) throw new Error(renderDiagnostics(result.diagnostics, { color: false }));
  // The version depends on the SDK that is bundled, too.
  const { version: _, builtAt: __, folder: ___, ...manifest } = result.manifest;
  return {
    file: "expected-manifest.json",
    text: `${JSON.stringify({ ...manifest, warnings: result.warnings }, null, 2)}\n`,
  };
}
