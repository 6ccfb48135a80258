import type { Target } from "../../contract/project/target.ts";
import { runStatusCodes } from "../../domain/stored-codes.ts";
import { packedId } from "./packed-text.ts";

/** The forms in which rows have ids, targets and payloads, for statements that are not built by Drizzle. */
export const deliveryId = packedId("dlv");
export const runId = packedId("run");
export const workerId = packedId("wrk");

/** Runs that have not ended. SQLite takes a partial index only where a query repeats its WHERE word for word. */
export const isOpenSql = `status < ${runStatusCodes.completed}`;

// No JSON is empty.

/** The payload of a run is the body of its delivery, byte for byte. */
export const sameAsBody = "";
/** The input of a run is its payload. */
export const sameAsPayload = "";

/** JSON. */
export const payloadSql =
  "CASE WHEN run.payload = '' THEN (SELECT CAST(body AS TEXT) FROM delivery WHERE delivery.seq = run.delivery) ELSE run.payload END";
export const inputSql = `CASE WHEN run.input = '' THEN ${payloadSql} ELSE run.input END`;

/** The size of the body that is its payload or its input. */
export const bodyBytesSql =
  "CASE WHEN run.payload = '' OR run.input = '' THEN (SELECT body_bytes FROM delivery WHERE delivery.seq = run.delivery) END";

/** `workflow:welcome-email` */
export function readTarget(name: string): Target {
  const at = name.indexOf(":");
  return { kind: name.slice(0, at) === "agent" ? "agent" : "workflow", slug: name.slice(at + 1) };
}
