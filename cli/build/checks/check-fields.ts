import { ownHeaders } from "../../../server/contract/own-headers.ts";
import { type FieldPart, fieldParts } from "../../../server/contract/request-parts.ts";
import { isSecretHeader, isSecretParameter } from "../../../server/domain/privacy/secret-names.ts";
import { namedFields, isClosed, isObjectSchema } from "../../../server/shared/schema/named-fields.ts";
import type { DiagnosticCode } from "../diagnostics/diagnostic-codes.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { EvaluatedEntry, EvaluatedTrigger } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";
import { methodsOf } from "./check-methods.ts";

/** Diagnostics of `headers` and `query`: schemas that no request can match, and fields that a trigger cannot read. */
export function fieldsDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  return entries.flatMap((entry) => {
    if (entry.outcome !== "trigger") return [];
    const { file, trigger } = entry;
    return fieldParts.flatMap((part) =>
      findProblems(part, trigger).map(({ code, title, name, fix }) =>
        files.diagnose({
          code,
          title: `${file} › ${part} ${title}`,
          at: (name === null ? null : files.findProperty(file, name)) ?? files.findProperty(file, part) ?? { file },
          ...(fix !== null && { fix }),
        }),
      ),
    );
  });
}

interface Problem {
  code: DiagnosticCode;
  title: string;
  /** The field at fault, if there is one. */
  name: string | null;
  fix: string | null;
}

/** The parts in the words of their diagnostics. */
const words = {
  headers: {
    invalid: "invalid_headers",
    example: 'headers: z.object({ "x-event": z.literal("…") })',
    closed: "rejects headers that it does not name, which every request has",
    others: "headers",
  },
  query: {
    invalid: "invalid_query",
    example: 'query: z.object({ topic: z.literal("…") })',
    closed: "rejects parameters that it does not name, which senders and proxies add",
    others: "parameters",
  },
} as const;

function findProblems(part: FieldPart, trigger: EvaluatedTrigger): Problem[] {
  const schema = trigger[part]?.json;
  if (!schema) return [];
  const { invalid, example, closed, others } = words[part];
  const whole = (title: string, fix: string | null): Problem => ({ code: invalid, title, name: null, fix });
  if (part === "query" && methodsOf(trigger.methods).includes("GET"))
    return [whole("is set, and methods has GET, whose query is its body", "Describe the query in request.")];
  if (!isObjectSchema(schema)) return [whole("is not an object schema", `Write ${example}.`)];
  return [
    ...(isClosed(schema) ? [whole(closed, `Use z.object(), which ignores other ${others}.`)] : []),
    ...namedFields(schema).flatMap((field) =>
      part === "headers" ? headerProblems(field, trigger.verify?.proofHeaders ?? []) : parameterProblems(field),
    ),
  ];
}

function parameterProblems({ name, takes }: ReturnType<typeof namedFields>[number]): Problem[] {
  const title = `› ${name}`;
  if (isSecretParameter(name))
    return [
      {
        code: "secret_header",
        title: `${title} carries a credential or a signature`,
        name,
        fix: "Remove it from query. `verify` checks signatures, and webhook keys authenticate senders.",
      },
    ];
  return takes === "other" ? [notText("invalid_query", name)] : [];
}

function notText(code: DiagnosticCode, name: string): Problem {
  return {
    code,
    title: `› ${name} is neither a string nor an array of strings`,
    name,
    fix: "Use z.string(), z.literal(), z.enum() or z.array(z.string()), and convert the value in .attach({ transform }).",
  };
}

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const ownNames = new Set<string>(Object.values(ownHeaders));

function headerProblems(
  { name, takes }: ReturnType<typeof namedFields>[number],
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
  return takes === "other" ? [notText("invalid_headers", name)] : [];
}
