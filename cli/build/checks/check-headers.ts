import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { ownHeaders } from "../../../server/contract/own-headers.ts";
import { isSecretHeader } from "../../../server/domain/deliveries/header-values.ts";
import { headerFields, isClosed, isObjectSchema } from "../../../server/domain/schema/header-fields.ts";
import type { DiagnosticCode } from "../diagnostics/diagnostic-codes.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { EvaluatedEntry } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";

/** Diagnostics of `headers`: schemas that no request can match, and headers that a trigger cannot read. */
export function headersDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  return entries.flatMap((entry) => {
    const schema = entry.outcome === "trigger" ? entry.trigger.headers?.json : null;
    if (!schema) return [];
    const { file } = entry;
    const proofHeaders = (entry.outcome === "trigger" && entry.trigger.verify?.proofHeaders) || [];
    return findProblems(schema, proofHeaders).map(({ code, title, name, fix }) =>
      files.diagnose({
        code,
        title: `${file} › headers ${title}`,
        at: (name === null ? null : files.findProperty(file, name)) ?? files.findProperty(file, "headers") ?? { file },
        ...(fix !== null && { fix }),
      }),
    );
  });
}

interface Problem {
  code: DiagnosticCode;
  title: string;
  /** The header at fault, if there is one. */
  name: string | null;
  fix: string | null;
}

function findProblems(schema: JsonSchemaObject, proofHeaders: readonly string[]): Problem[] {
  if (!isObjectSchema(schema))
    return [
      {
        code: "invalid_headers",
        title: "is not an object schema",
        name: null,
        fix: 'Write headers: z.object({ "x-event": z.literal("…") }).',
      },
    ];
  const closed: Problem = {
    code: "invalid_headers",
    title: "rejects headers that it does not name, which every request has",
    name: null,
    fix: "Use z.object(), which ignores other headers.",
  };
  return [
    ...(isClosed(schema) ? [closed] : []),
    ...headerFields(schema).flatMap((field) => fieldProblems(field, proofHeaders)),
  ];
}

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const ownNames = new Set<string>(Object.values(ownHeaders));

function fieldProblems(
  { name, takes }: ReturnType<typeof headerFields>[number],
  proofHeaders: readonly string[],
): Problem[] {
  const title = `› ${name}`;
  const lower = name.toLowerCase();
  if (lower !== name && headerName.test(lower))
    return [
      { code: "invalid_headers", title: `${title} is not in lower case`, name, fix: `Write ${JSON.stringify(lower)}.` },
    ];
  if (!headerName.test(name))
    return [{ code: "invalid_headers", title: `${title} is not the name of a header`, name, fix: "Correct the name." }];
  if (isSecretHeader(name) || proofHeaders.includes(name))
    return [{ code: "secret_header", title: `${title} carries a credential or a signature`, name, fix: null }];
  if (ownNames.has(name))
    return [
      {
        code: "invalid_headers",
        title: `${title} is written by Signalbox, not by the sender`,
        name,
        fix: "Remove it.",
      },
    ];
  if (takes === "other")
    return [
      {
        code: "invalid_headers",
        title: `${title} is neither a string nor an array of strings`,
        name,
        fix: "Use z.string(), z.literal(), z.enum() or z.array(z.string()), and convert the value in .attach({ transform }).",
      },
    ];
  return [];
}
