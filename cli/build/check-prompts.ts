import type { JsonSchemaObject } from "../../server/contract/json.ts";
import { parsePromptTemplate } from "../../server/domain/prompt-template.ts";
import { lookUpPath } from "../../server/domain/schema-path.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { EvaluatedEntry } from "./evaluation/protocol.ts";
import type { ProjectFiles } from "./project-files.ts";

/**
 * Diagnostics of prompt templates: their syntax, and whether the payload can have their paths. With a transform, only
 * the compiler checks the paths.
 */
export function promptDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  return entries.flatMap((entry) => {
    if (entry.outcome !== "trigger" || entry.trigger.prompt?.kind !== "template") return [];
    const { file, trigger } = entry;
    const template = parsePromptTemplate(entry.trigger.prompt.text);
    const place = (written: string) => files.findText(file, written) ?? files.findProperty(file, "prompt") ?? { file };
    const faults = template.faults.map(({ written, why }) =>
      files.diagnose({ code: "invalid_prompt", title: `${file} › prompt › ${written} ${why}`, at: place(written) }),
    );
    const schema = trigger.hasTransform ? null : trigger.request.json;
    const paths = template.pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece]));
    const wrong = [...new Map(paths.map((path) => [path.written, path])).values()].flatMap(({ path, written }) => {
      const verdict = schema ? wrongPath(schema, path) : null;
      return verdict
        ? [
            files.diagnose({
              code: "unknown_prompt_path",
              title: `${file} › prompt › ${written}: ${verdict.what}`,
              at: place(written),
              ...(verdict.fix && { fix: verdict.fix }),
            }),
          ]
        : [];
    });
    return [...faults, ...wrong];
  });
}

function wrongPath(schema: JsonSchemaObject, path: readonly string[]): { what: string; fix: string | null } | null {
  const verdict = lookUpPath(schema, path);
  if (verdict.kind === "there") return null;
  const { name, before, nearest } = verdict;
  const where = before.length === 0 ? "the payload" : before.join(".");
  return {
    what: `${where} has no ${name}`,
    fix:
      nearest === null
        ? null
        : `Did you mean {{ ${[...before, nearest, ...path.slice(before.length + 1)].join(".")} }}?`,
  };
}
