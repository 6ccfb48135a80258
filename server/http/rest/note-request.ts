import type { Context } from "hono";
import { actionOfRoute } from "../../auth/access-table.ts";
import { auditOf, doerOf } from "../../auth/doer.ts";
import type { RestEnv } from "./rest-deps.ts";

/** Writes down a request that changed something. Where that fails, it has happened all the same: the log says so. */
export async function noteRequest(c: Context<RestEnv>): Promise<void> {
  const found = actionOfRoute(c.req.method, c.req.path);
  if (!found || !c.res.ok) return;
  const { store, clock, logger, client } = c.env;
  const made = c.res.headers.get("location")?.split("/").at(-1) ?? null;
  const entry = auditOf(doerOf(c.var.principal, client.address), {
    action: found.action,
    subject: found.subject,
    detail: made === null ? null : { made },
    now: clock.now(),
  });
  await store
    .recordAudit(entry)
    .catch((error: unknown) =>
      logger.error("what was done could not be written to the audit log", { ...entry, error }),
    );
}
