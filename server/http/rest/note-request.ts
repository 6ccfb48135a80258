import type { Context } from "hono";
import { actionOfRoute } from "../../auth/access-table.ts";
import { auditOf, auditContextOf } from "../../auth/doer.ts";
import type { RestEnv } from "./rest-deps.ts";

/**
 * Writes the audit entry of a request that changed something. If that fails, the change stays, and the log reports the
 * failure.
 */
export async function noteRequest(c: Context<RestEnv>): Promise<void> {
  const found = actionOfRoute(c.req.method, c.req.path);
  if (!found || !c.res.ok) return;
  const { store, clock, logger, client } = c.env;
  const made = c.res.headers.get("location")?.split("/").at(-1) ?? null;
  const entry = auditOf(auditContextOf(c.var.principal, client.address), {
    action: found.action,
    subject: found.subject,
    detail: made === null ? null : { made },
    now: clock.now(),
  });
  await store
    .recordAudit(entry)
    .catch((error: unknown) => logger.error("could not write to the audit log", { ...entry, error }));
}
