import type { Target } from "../../contract/project/target.ts";
import { failedStatuses } from "../../shared/runs/run-state.ts";
import { runStatusCodes } from "../../domain/stored-codes.ts";
import { packedId } from "../../domain/ids.ts";

/** The stored forms of ids, targets and payloads, for statements that Drizzle does not build. */
export const deliveryId = packedId("dlv");
export const runId = packedId("run");
export const workerId = packedId("wrk");

/** Runs that have not ended. SQLite uses a partial index only if a query repeats its WHERE literally. */
export const isOpenSql = `status < ${runStatusCodes.completed}`;

/** Failed runs. As with `isOpenSql`, a query must repeat it literally. */
export const hasFailedSql = `status IN (${failedStatuses.map((status) => runStatusCodes[status]).join(", ")})`;

// JSON is never empty, so an empty string can mark a shared value.

/** The payload of the run equals the body of its delivery byte for byte. */
export const sameAsBody = "";
/** The input of the run equals its payload. */
export const sameAsPayload = "";

/** JSON. */
export const payloadSql =
  "CASE WHEN run.payload = '' THEN (SELECT CAST(body AS TEXT) FROM delivery WHERE delivery.seq = run.delivery) ELSE run.payload END";
export const inputSql = `CASE WHEN run.input = '' THEN ${payloadSql} ELSE run.input END`;

/** The size of the body, if the payload or the input is shared with it. */
export const bodyBytesSql =
  "CASE WHEN run.payload = '' OR run.input = '' THEN (SELECT body_bytes FROM delivery WHERE delivery.seq = run.delivery) END";

/** `workflow:welcome-email` */
export function readTarget(name: string): Target {
  const at = name.indexOf(":");
  return { kind: name.slice(0, at) === "agent" ? "agent" : "workflow", slug: name.slice(at + 1) };
}
