import type { Message } from "esbuild";
import type { Diagnostic } from "./diagnostic.ts";
import type { SourceLocation, ProjectFiles } from "../project-files.ts";

/** Errors of esbuild as diagnostics. A file that is imported in two ways is read twice, but reported once. */
export function bundleDiagnostics(errors: readonly Message[], files: ProjectFiles): Diagnostic[] {
  const distinct = new Map(errors.map((error) => [JSON.stringify([error.text, error.location]), error]));
  return [...distinct.values()].map((error) => {
    const at = locationOf(error);
    const file = at?.file ?? "the project";
    if (isUnresolved(error.detail)) {
      return files.diagnose({ code: "unresolved_import", title: `${file} › ${error.text}`, at, fix: error.detail.fix });
    }
    const beyond = beyondDefault(error);
    if (beyond) return missingExport(beyond, at, files);
    const isSyntax = error.location !== null && error.pluginName === "";
    return files.diagnose({ code: isSyntax ? "syntax_error" : "bundle_failed", title: `${file} › ${error.text}`, at });
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

function isUnresolved(detail: unknown): detail is { code: "unresolved_import"; fix: string } {
  return typeof detail === "object" && detail !== null && "code" in detail && detail.code === "unresolved_import";
}
