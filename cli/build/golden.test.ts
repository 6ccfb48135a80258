import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type Manifest,
  manifestAgentSchema,
  manifestTriggerSchema,
  manifestWorkflowSchema,
} from "../../server/contract/project/manifest.ts";
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
    const { file, text } = name.startsWith("bad-") ? failure(result) : success(result, name);
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

/**
 * The manifests of all projects but one leave out what a manifest that does not have it would be read as: an option
 * with its default.
 */
function success(result: BuildResult, name: string): { file: string; text: string } {
  if (!result.ok) throw new Error(renderDiagnostics(result.diagnostics, { color: false }));
  // The version depends on the SDK that is bundled, too.
  const { version: _, builtAt: __, folder: ___, ...manifest } = result.manifest;
  return {
    file: "expected-manifest.json",
    text: `${JSON.stringify({ ...(name === "good-minimal" ? manifest : withoutDefaults(manifest)), warnings: result.warnings }, null, 2)}\n`,
  };
}

function withoutDefaults<Lists extends Pick<Manifest, "triggers" | "workflows" | "agents">>(manifest: Lists) {
  return {
    ...manifest,
    triggers: manifest.triggers.map((entry) => withoutDefaultsOf(manifestTriggerSchema, entry)),
    workflows: manifest.workflows.map((entry) => withoutDefaultsOf(manifestWorkflowSchema, entry)),
    agents: manifest.agents.map((entry) => withoutDefaultsOf(manifestAgentSchema, entry)),
  };
}

function withoutDefaultsOf({ shape }: z.ZodObject, entry: object) {
  return Object.fromEntries(
    Object.entries(entry).filter(([key, value]) => {
      const absent = z.safeParse(shape[key] ?? z.never(), undefined);
      return !(absent.success && isDeepStrictEqual(absent.data, value));
    }),
  );
}
