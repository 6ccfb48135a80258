import { type FilterFault, findFilterFaults } from "../../../server/shared/schema/check-filter.ts";
import { bodyPath, keyStep } from "../../../server/shared/schema/conditions.ts";
import { trail, type Diagnostic } from "../diagnostics/diagnostic.ts";
import type { EvaluatedEntry } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";
import { show } from "./check-definitions.ts";

/** Diagnostics of filters that name fields which `request` does not have, or require values that it does not allow. */
export function filterDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  return entries.flatMap((entry) => {
    if (entry.outcome !== "trigger") return [];
    const { file, trigger } = entry;
    const filter = trigger.filter?.json;
    if (!trigger.request.json || !filter) return [];
    return findFilterFaults(trigger.request.json, filter).map((fault) => diagnose(fault, file, files));
  });
}

function diagnose(fault: FilterFault, file: string, files: ProjectFiles): Diagnostic {
  const { path, kind, value, nearest } = fault;
  const where = trail(file, "filter", ...(path.length === 0 ? [] : [pathText(path)]));
  const at = files.findPath(file, ["filter", ...path.filter((name) => name !== "[]")]) ?? { file };
  if (kind === "unknown-field") {
    const fix = nearest ? { fix: `Did you mean ${pathText([...path.slice(0, -1), nearest])}?` } : {};
    return files.diagnose({ code: "unknown_filter_field", title: `${where} is not a field of request`, at, ...fix });
  }
  const title = kind === "impossible-value" ? `${where} cannot be ${show(value)}` : `${where} contradicts request`;
  return files.diagnose({ code: "impossible_filter", title, at });
}

function pathText(path: readonly string[]): string {
  return bodyPath(path.map((name) => (name === "[]" ? name : keyStep(name))));
}
