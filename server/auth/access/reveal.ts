import { AppError } from "../../contract/app-error.ts";
import type { Delivery } from "../../contract/delivery.ts";
import type { Run } from "../../contract/run.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DeliveryStore } from "../../ports/store/delivery-store.ts";
import type { AuditStore } from "../../ports/store/people-store.ts";
import type { RunStore } from "../../ports/store/run-store.ts";
import { type AuditContext, auditOf } from "./audit-context.ts";

/** The recorded values of sensitive fields. The audit entry is written first: without it, nothing is revealed. */

interface AuditDeps {
  store: Pick<AuditStore, "recordAudit">;
  clock: Clock;
}

/** A delivery as it was recorded. Throws AppError `not_found`. */
export async function revealDelivery(
  deps: AuditDeps & { originals: Pick<DeliveryStore, "getDelivery"> },
  id: string,
  auditContext: AuditContext,
): Promise<Delivery> {
  const delivery = await deps.originals.getDelivery(id);
  if (!delivery) throw new AppError("not_found", `There is no delivery ${JSON.stringify(id)}.`);
  const { endpoint } = delivery;
  await deps.store.recordAudit(
    auditOf(auditContext, { action: "delivery.revealed", subject: id, detail: { endpoint }, now: deps.clock.now() }),
  );
  return delivery;
}

/** A run as it was recorded. Throws AppError `not_found`. */
export async function revealRun(
  deps: AuditDeps & { originals: Pick<RunStore, "getRun"> },
  id: string,
  auditContext: AuditContext,
): Promise<Run> {
  const stored = await deps.originals.getRun(id);
  if (!stored) throw new AppError("not_found", `There is no run ${JSON.stringify(id)}.`);
  const { keyId: _, ...run } = stored;
  const { trigger } = run;
  await deps.store.recordAudit(
    auditOf(auditContext, { action: "run.revealed", subject: id, detail: { trigger }, now: deps.clock.now() }),
  );
  return run;
}
