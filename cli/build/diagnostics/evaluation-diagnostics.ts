import { basename } from "node:path";
import type { StackMapper } from "../../../server/project/map-stack.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Crash } from "../evaluation/evaluator.ts";
import type { Entry, EvaluatedEntry, ThrownError } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";
import { formatInterval } from "../../../server/shared/format.ts";

interface Context {
  files: ProjectFiles;
  mapper: StackMapper;
}

/** Files whose top-level code threw. One error that several files run into is reported once. */
export function thrownDiagnostics(entries: readonly EvaluatedEntry[], context: Context): Diagnostic[] {
  const seen = new Set<string>();
  return entries.flatMap((entry) => {
    if (entry.outcome !== "threw") return [];
    const at = locationOf(entry.error, context.mapper) ?? { file: entry.file };
    const identity = JSON.stringify([entry.error.message, at]);
    if (seen.has(identity)) return [];
    seen.add(identity);
    return [thrownDiagnostic(entry.file, entry.error, context)];
  });
}

function thrownDiagnostic(file: string, error: ThrownError, { files, mapper }: Context): Diagnostic {
  const at = locationOf(error, mapper) ?? { file };
  const message = error.message.split("\n", 1)[0] ?? "";
  const missing = missingExport(message);
  if (missing) {
    // Built code names the file of a package.
    const from = ("line" in at ? files.specifierAt(at) : null) ?? missing.from;
    return files.diagnose({
      code: "unresolved_import",
      title: `${at.file} › ${from} has no export ${missing.name}`,
      at,
      ...missingExportAdvice({ ...missing, from }),
    });
  }
  // Thrown by the SDK: the message describes the invalid definition.
  const isOurs = /^\s*at .*?signalbox:/m.test(firstFrame(mapper.mapStack(error.stack)));
  if (isOurs)
    return files.diagnose({
      code: "invalid_definition",
      title: `${file} › ${message.replace(/^TypeError: /, "")}`,
      at,
    });
  if (isOfOtherZod(error, message))
    return files.diagnose({
      code: "schema_mixes_versions",
      title: `${at.file} gives a schema of Zod 3 to Zod 4`,
      at,
    });
  return files.diagnose({
    code: "evaluation_failed",
    title: `${file} throws an error while it loads: ${message}`,
    at,
    ...(isWithoutLiteral.test(message) && {
      text: "An option has no literal for this key, or is a schema of Zod 4.",
      fix: "Give each option its own literal, and import z from the same version in all files of the schema.",
    }),
    ...(isTooEarly.test(message) && {
      text: "A value is not defined yet while this file loads. If it is imported, the two files probably import each other.",
      fix: "Move what both files need into a third file that both import.",
    }),
  });
}

/** Zod 4 reads `_zod.def` of every schema, which one of Zod 3 does not have. */
function isOfOtherZod({ stack }: ThrownError, message: string): boolean {
  return message.includes("(reading 'def')") && /\/zod\/v4\//.test(firstFrame(stack));
}

/** The discriminated union of Zod 3. */
const isWithoutLiteral = /^Error: A discriminator value for key .* could not be extracted from all schema options/;

/** In a cycle of imports, one of the files is loaded before what it imports. */
const isTooEarly =
  /^TypeError: Cannot read properties of undefined|^ReferenceError: Cannot access .* before initialization/;

interface MissingExport {
  name: string;
  from: string;
}

/** Parses the two messages of Node for a missing named export. */
function missingExport(message: string): MissingExport | null {
  const plain = /^SyntaxError: The requested module '(?<from>.+)' does not provide an export named '(?<name>.+)'/.exec(
    message,
  );
  const ofCommonJs =
    /^SyntaxError: Named export '(?<name>.+?)' not found\. The requested module '(?<from>.+?)' is a CommonJS module/.exec(
      message,
    );
  const { name, from } = plain?.groups ?? ofCommonJs?.groups ?? {};
  return name === undefined || from === undefined ? null : { name, from };
}

function missingExportAdvice({ name, from }: MissingExport): { text: string; fix: string } {
  return {
    text: "The package exists, but Node finds no export with this name. Node finds only the default export of many CommonJS packages.",
    fix: `Correct the name, write \`import type\` for a type, or use the default export: \`import all from "${from}"; const { ${name} } = all;\``,
  };
}

/**
 * Linking errors have no frame in the faulty module. Node prints its URL and line first, then the line with a marker
 * below.
 */
function locationOf({ stack }: ThrownError, mapper: StackMapper): ReturnType<StackMapper["locate"]> {
  return mapper.locate(
    stack.replace(/^(file:\S+:\d+)\n.*\n( *)\^/, (_, at: string, before: string) => `${at}:${before.length + 1}\n`),
  );
}

export function crashDiagnostic(crash: Crash, context: Context): Diagnostic {
  const { file } = crash;
  if (crash.reason === "crashed") return thrownDiagnostic(file, crash.error, context);
  const at = { file };
  if (crash.reason === "hung") {
    return context.files.diagnose({
      code: "evaluation_hung",
      title: `${file} does not finish loading: stopped after ${formatInterval(crash.afterMs)}`,
      at,
    });
  }
  const how = crash.signal === null ? `exit code ${crash.code ?? "unknown"}` : crash.signal;
  const output = lastLines(crash.output);
  const location = context.files.findProperty(file, "process.exit") ?? at;
  const diagnostic = context.files.diagnose({
    code: "evaluation_exited",
    title: `${file} ends the process while it loads (${how})`,
    at: location,
  });
  return output === ""
    ? diagnostic
    : { ...diagnostic, text: `${diagnostic.text} Its output:\n  ${output.replaceAll("\n", "\n  ")}` };
}

/** Files whose default export does not fit their folder. */
export function exportDiagnostics(
  entries: readonly EvaluatedEntry[],
  kinds: ReadonlyMap<string, Entry["kind"]>,
  files: ProjectFiles,
): Diagnostic[] {
  return entries.flatMap((entry) =>
    entry.outcome === "wrong-export" ? [exportDiagnostic(entry, kinds.get(entry.file) ?? "trigger", files)] : [],
  );
}

function exportDiagnostic(
  entry: EvaluatedEntry & { outcome: "wrong-export" },
  kind: Entry["kind"],
  files: ProjectFiles,
): Diagnostic {
  const { file, found } = entry;
  const at = files.findProperty(file, "export default") ?? { file };
  if (found === "nothing") {
    return files.diagnose({ code: "no_default_export", title: `${file} has no default export`, at, fix: fixFor(kind) });
  }
  const folder = found === "workflow" || found === "trigger" || found === "agent" ? `${found}s` : null;
  const moved = folder === null ? "" : ` Or move the file to ${folder}/${basename(file)}.`;
  const what = found === "other" ? entry.description : withArticle(found);
  return files.diagnose({
    code: "wrong_default_export",
    title: `${file} exports ${what}, not ${withArticle(kind)}`,
    at,
    fix: `${fixFor(kind)}${moved}`,
  });
}

function withArticle(kind: string): string {
  return kind === "agent" ? "an agent" : `a ${kind}`;
}

function fixFor(kind: Entry["kind"]): string {
  const call = {
    trigger: "defineWebhookSource({ ... }).attach({ workflow })",
    workflow: "defineWorkflow({ ... })",
    agent: "defineAgent({ ... })",
  }[kind];
  return `Write \`export default ${call}\`. Start the name of a helper file with _, or move it to another folder.`;
}

function firstFrame(stack: string): string {
  return stack.split("\n").find((line) => /^\s+at /.test(line)) ?? "";
}

function lastLines(output: string): string {
  return output.trim().split("\n").slice(-6).join("\n");
}
