import { auditOf, type AuditContext } from "../auth/doer.ts";
import { actionOfProcedure } from "../auth/access-table.ts";
import type { Json } from "../contract/json.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { AuditStore } from "../ports/people-store.ts";

/**
 * Writes the audit entry of a call that changed something. If that fails, the change stays, and the log reports the
 * failure.
 */
export async function noteCall(
  deps: { store: Pick<AuditStore, "recordAudit">; clock: Clock; logger: Logger },
  call: { path: string; input: unknown; answer: unknown; auditContext: AuditContext },
): Promise<void> {
  const { input, answer } = call;
  const action = actionOfProcedure(call.path, textOf(input, "action"));
  if (action === null) return;
  const entry = auditOf(call.auditContext, {
    action,
    subject: subjectOf(input),
    detail: {
      ...pick(input, ["kind", "ids", "name", "reason"]),
      ...pick(answer, ["runId", "runs", "deliveryId", "status", "done"]),
    },
    now: deps.clock.now(),
  });
  await deps.store
    .recordAudit(entry)
    .catch((error: unknown) => deps.logger.error("could not write to the audit log", { ...entry, error }));
}

/** What inputs call the thing that they are about. Never a body. */
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

/** Names, ids and counts; of runs their ids. */
function pick(value: unknown, names: readonly string[]): { [key: string]: Json } {
  const found: { [key: string]: Json } = {};
  for (const name of names) {
    const one: unknown = Reflect.get(Object(value), name);
    if (typeof one === "string" || typeof one === "number") found[name] = one;
    if (Array.isArray(one))
      found[name] = one
        .slice(0, 100)
        .map((item: unknown) => (typeof item === "string" ? item : (textOf(item, "runId") ?? textOf(item, "id"))));
  }
  return found;
}
