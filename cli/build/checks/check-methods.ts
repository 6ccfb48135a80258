import { type Methods, methodsSchema } from "../../../server/contract/project/endpoint.ts";
import type { DiagnosticCode } from "../diagnostics/diagnostic-codes.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { EvaluatedEntry, EvaluatedTrigger } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";
import { challengesOf } from "./check-challenges.ts";
import { show } from "./check-definitions.ts";

/** Diagnostics of `methods`, and of options that do not apply to the query of a GET. */
export function methodsDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  return entries.flatMap((entry) => {
    if (entry.outcome !== "trigger") return [];
    const { file, trigger } = entry;
    return findProblems(trigger).map(({ code, title }) =>
      files.diagnose({
        code,
        title: `${file} › methods ${title}`,
        at: files.findProperty(file, "methods") ?? { file },
      }),
    );
  });
}

/** Each method once, in the order of the header `Allow`. Requires a value without diagnostics. */
export function methodsOf(methods: unknown): Methods {
  const given = methodsSchema.safeParse(methods).data ?? ["POST"];
  return methodsSchema.element.options.filter((method) => given.includes(method));
}

function findProblems(trigger: EvaluatedTrigger): { code: DiagnosticCode; title: string }[] {
  const { methods, body, verify, challenge } = trigger;
  if (methods === undefined) return [];
  if (!methodsSchema.safeParse(methods).success) return [{ code: "invalid_methods", title: `is ${show(methods)}` }];
  if (!methodsOf(methods).includes("GET")) return [];
  const found: { code: DiagnosticCode; title: string }[] = [];
  const isForm = body === "form" || (body === undefined && verify?.bodies?.[0] === "form");
  const isReadable = body === undefined || body === "form" || (body === "json" && methodsOf(methods).includes("POST"));
  if (!isReadable || (body === undefined && !isForm && verify?.bodies && !verify.bodies.includes("json")))
    found.push({ code: "invalid_methods", title: `has GET, whose query is a form, and body is ${show(body)}` });
  if (verify && verify.signedHeaders !== null && !verify.readsUrl)
    found.push({ code: "unsigned_query", title: `has GET, and ${verify.scheme} does not sign the query` });
  const test = challengesOf(challenge).find(({ method, if: is, echo }) => method === "GET" && !is && !echo);
  if (test)
    found.push({ code: "invalid_methods", title: "has GET, and challenge answers every GET: no request is an event" });
  return found;
}
