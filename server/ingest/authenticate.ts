import { AppError } from "../contract/app-error.ts";
import type { Arrival } from "./arrival.ts";

/** Whether these keys, every one that was sent, may send to this endpoint. Rejects when that cannot be found out now. */
export type Authenticate = (
  presented: readonly string[],
  endpoint: string,
) => Promise<{ ok: true; keyId: string | null } | { ok: false }>;

/**
 * The id of the key that opens the endpoint. Throws AppError `unauthorized`, the same for every reason and every
 * endpoint.
 */
export async function authenticate(check: Authenticate, arrival: Arrival): Promise<string | null> {
  const endpoint = arrival.path.kind === "endpoint" ? arrival.path.endpoint : "";
  const checked = await check(arrival.presented, endpoint);
  if (checked.ok) return checked.keyId;
  throw new AppError(
    "unauthorized",
    "Send a valid key as ?token=, ?api_key=, Authorization: Bearer or x-api-key. If you send several keys, each must be valid.",
  );
}
