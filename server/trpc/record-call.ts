import { type AuditContext, recordOperation } from "../auth/access/audit-context.ts";
import { auditActionOf, type Operation } from "../auth/access/operations.ts";
import type { Json } from "../contract/json.ts";

/** Writes the audit entry of a successful mutation. Its details are names, ids and counts, never a body. */
export async function recordCall(
  deps: Parameters<typeof recordOperation>[0],
  call: { operation: Operation; auditContext: AuditContext; input: unknown; output: unknown },
): Promise<void> {
  const { input, output } = call;
  const action = auditActionOf(call.operation, textOf(input, "action"));
  if (action === null || hasReleasedNothing(output)) return;
  await recordOperation(deps, call.auditContext, {
    action,
    subject: subjectOf(input),
    detail: {
      ...pick(input, ["kind", "ids", "name", "reason"]),
      ...pick(output, ["runId", "runs", "deliveryId", "status", "done", "released"]),
    },
  });
}

/** The deliveries are still held, or were released before. */
function hasReleasedNothing(output: unknown): boolean {
  const result = textOf(output, "result");
  return result === "held" || result === "already_released" || Reflect.get(Object(output), "released") === 0;
}

/** The id, endpoint or slug in an input. */
function subjectOf(input: unknown): string | null {
  return (
    textOf(input, "id") ??
    textOf(input, "endpoint") ??
    textOf(input, "slug") ??
    textOf(input, "trigger") ??
    textOf(Reflect.get(Object(input), "subject"), "slug")
  );
}

function textOf(value: unknown, name: string): string | null {
  const found: unknown = Reflect.get(Object(value), name);
  return typeof found === "string" ? found : null;
}

/** The fields with these names, if they are strings, numbers or lists. Of each run in a list, only its id. */
function pick(value: unknown, names: readonly string[]): { [key: string]: Json } {
  const picked: { [key: string]: Json } = {};
  for (const name of names) {
    const field: unknown = Reflect.get(Object(value), name);
    if (typeof field === "string" || typeof field === "number") picked[name] = field;
    if (Array.isArray(field))
      picked[name] = field
        .slice(0, 100)
        .map((item: unknown) => (typeof item === "string" ? item : (textOf(item, "runId") ?? textOf(item, "id"))));
  }
  return picked;
}
