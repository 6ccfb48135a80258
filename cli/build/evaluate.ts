import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readTriggerExport } from "../../server/project/definitions.ts";
import { type TargetFiles, describeThrown, evaluateEntry, readTrigger } from "./evaluation/evaluate-entry.ts";
import { loadPackages } from "./evaluation/load-packages.ts";
import type { EvaluatedEntry, EvaluationReply, EvaluationRequest } from "./evaluation/protocol.ts";
import { traceOrigins } from "./evaluation/trace-origins.ts";

// The process in which the build runs the user's top-level code, because that code can hang, exit or crash.

const targetFiles: TargetFiles = new Map();
const evaluated = new Map<string, EvaluatedEntry>();
let buildDir = "";

traceOrigins();
process.on("uncaughtException", (error) => {
  process.send?.({ type: "crashed", error: describeThrown(error) } satisfies EvaluationReply, () => process.exit(1));
});
process.on("disconnect", () => process.exit(0));
// One after the other: the packages are loaded before the project's code.
let answered = Promise.resolve();
process.on("message", (request: EvaluationRequest) => {
  answered = answered.then(() => answer(request));
});

async function answer(request: EvaluationRequest): Promise<void> {
  if (request.type === "load-packages") return loadPackages(request.importer, request.packages);
  if (request.type === "check-sources") return checkSources(request.module, request.files);
  buildDir = request.buildDir;
  for (const entry of request.entries) {
    reply({ type: "evaluating", file: entry.file });
    const result = await evaluateEntry(buildDir, entry, targetFiles);
    evaluated.set(entry.file, result);
    reply({ type: "evaluated", entry: result });
  }
  reply({ type: "all-evaluated" });
}

async function checkSources(module: string, files: readonly string[]): Promise<void> {
  try {
    const { triggers }: { triggers: unknown[] } = await import(pathToFileURL(join(buildDir, module)).href);
    const differing: string[] = [];
    for (const [index, file] of files.entries()) if (await differs(file, triggers[index])) differing.push(file);
    reply({ type: "sources-checked", differing, error: null });
  } catch (error) {
    reply({ type: "sources-checked", differing: [], error: describeThrown(error) });
  }
}

async function differs(file: string, definition: unknown): Promise<boolean> {
  const known = evaluated.get(file);
  const trigger = readTriggerExport(definition);
  if (known?.outcome !== "trigger" || !trigger) return true;
  const { target: _, ...now } = await readTrigger(trigger, targetFiles);
  const { target: __, ...before } = known.trigger;
  return !isDeepStrictEqual(comparable(now), comparable(before)) || trigger.target?.slug !== known.trigger.target?.slug;
}

/** Stacks contain bundle paths, so they always differ. */
function comparable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, child: unknown) => (key === "stack" ? null : child)));
}

function reply(message: EvaluationReply): void {
  process.send?.(message);
}
