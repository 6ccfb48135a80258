import type { Message } from "esbuild";
import { isInstalled } from "../bundle/installed-packages.ts";
import { detailOf } from "../bundle/messages.ts";
import type { SourceLocation, ProjectFiles } from "../project-files.ts";
import type { DiagnosticCode } from "./diagnostic-codes.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { explainUnresolved } from "./unresolved-import.ts";

/** Errors of esbuild as diagnostics. A file that is imported in two ways is read twice, but reported once. */
export function bundleDiagnostics(errors: readonly Message[], files: ProjectFiles): Diagnostic[] {
  return distinct(errors).map((error) => {
    const at = locationOf(error);
    const file = at?.file ?? "the project";
    const ours = ownDiagnostic(error, files);
    if (ours) return ours;
    const unresolved = explainUnresolved(error, files.projectDir);
    if (unresolved) {
      const { title, text, fix } = unresolved;
      return files.diagnose({ code: "unresolved_import", title: `${file} › ${title}`, at, ...(text && { text }), fix });
    }
    const beyond = beyondDefault(error);
    if (beyond) return missingExport(beyond, at, files);
    const isSyntax = error.location !== null && error.pluginName === "";
    return files.diagnose({ code: isSyntax ? "syntax_error" : "bundle_failed", title: `${file} › ${error.text}`, at });
  });
}

/** The warnings of esbuild that mean a different behaviour at run time than the code says. */
export function bundleWarnings(warnings: readonly Message[], files: ProjectFiles): Diagnostic[] {
  return distinct(warnings).flatMap((warning) => {
    const at = locationOf(warning);
    if (!at || isInstalled(at.file)) return [];
    const ours = ownDiagnostic(warning, files, "warning");
    if (ours) return [ours];
    const code = warningCodes.get(warning.id);
    if (code === undefined) return [];
    // The options of the file that is missing would be lost.
    const isMissingBase = /^Cannot find base config|forms cycle/.test(warning.text);
    const title = `${at.file} › ${describe(warning)}`;
    return [files.diagnose({ code, title, at, ...(!isMissingBase && { severity: "warning" }) })];
  });
}

const warningCodes: ReadonlyMap<string, DiagnosticCode> = new Map([
  ["tsconfig.json", "invalid_tsconfig"],
  ["unsupported-dynamic-import", "unbundled_import"],
  ["unsupported-require-call", "unbundled_import"],
]);

function describe({ id, text }: Message): string {
  if (id === "unsupported-dynamic-import") return "import() gets a path that the code computes";
  if (id === "unsupported-require-call") return "require() gets a path that the code computes";
  return text;
}

function distinct(messages: readonly Message[]): Message[] {
  return [...new Map(messages.map((message) => [JSON.stringify([message.text, message.location]), message])).values()];
}

/** The diagnostic of a message from the build itself. */
function ownDiagnostic(message: Message, files: ProjectFiles, severity?: "warning"): Diagnostic | null {
  const detail = detailOf(message.detail);
  if (!detail) return null;
  const at = locationOf(message);
  return files.diagnose({
    code: detail.code,
    title: `${at?.file ?? "the project"} › ${message.text}`,
    at,
    ...(severity && { severity }),
    ...(detail.reason !== undefined && { text: detail.reason }),
    ...(detail.fix !== undefined && { fix: detail.fix }),
  });
}

/** Imports of named exports of a workflow file, which bundling the sources finds. */
export function beyondDefaultDiagnostics(
  messages: readonly Message[],
  workflowFiles: readonly string[],
  files: ProjectFiles,
): Diagnostic[] {
  return messages.flatMap((message) => {
    const found = beyondDefault(message);
    if (!found || !workflowFiles.includes(found.from)) return [];
    const at = locationOf(message);
    return [
      files.diagnose({
        code: "import_beyond_default",
        title: `${at?.file ?? "A trigger"} imports ${found.name} from ${found.from}`,
        at,
      }),
    ];
  });
}

function missingExport(
  found: { name: string; from: string },
  at: SourceLocation | null,
  files: ProjectFiles,
): Diagnostic {
  return files.diagnose({
    code: "unresolved_import",
    title: `${at?.file ?? "the project"} › ${found.from} has no export ${found.name}`,
    at,
    text: "The file exists, but it has no export with this name.",
    fix: "Correct the name, or export it.",
  });
}

function beyondDefault(message: Message): { name: string; from: string } | null {
  const match = /^No matching export in "(.+?)" for import "(.+?)"/.exec(message.text);
  if (match?.[1] !== undefined && match[2] !== undefined) return { from: match[1], name: match[2] };
  const undefinedImport =
    /^Import "(.+?)" will always be undefined because there is no matching export in "(.+?)"/.exec(message.text);
  return undefinedImport?.[1] !== undefined && undefinedImport[2] !== undefined
    ? { name: undefinedImport[1], from: undefinedImport[2] }
    : null;
}

/** Esbuild counts columns in bytes, from 0. */
function locationOf({ location }: Message): SourceLocation | null {
  if (!location) return null;
  const before = Buffer.from(location.lineText).subarray(0, location.column).toString();
  return { file: location.file, line: location.line, column: before.length + 1 };
}
