import { type DeliverySummary, type Origin, originSchema, type VerdictOutcome } from "../../contract/delivery.ts";
import { ownHeaders } from "../../contract/own-headers.ts";

/** A delivery of another service's feed keeps what that service decided in one of its headers. */

/** The headers with which a delivery of a feed is recorded here. What this service will find out itself is removed. */
export function headersWithOrigin(
  delivery: Pick<DeliverySummary, "headers" | "outcome" | "responseStatus" | "verdicts" | "isMasked">,
  p: { url: string; isMatchOnly: boolean },
): Record<string, string> {
  const { [ownHeaders.rounded]: _, [ownHeaders.releasedAt]: __, ...headers } = delivery.headers;
  const { outcome, responseStatus } = delivery;
  const verdicts = delivery.verdicts.map(({ attachmentId, outcome: verdict }) => ({ attachmentId, outcome: verdict }));
  const origin: Origin = { ...p, outcome, responseStatus, verdicts, isMasked: delivery.isMasked ?? false };
  return { ...headers, [ownHeaders.origin]: JSON.stringify(origin) };
}

/** `null`: this service received the delivery itself. */
export function readOrigin(headers: Readonly<Record<string, string>>): Origin | null {
  const text = headers[ownHeaders.origin];
  if (text === undefined) return null;
  try {
    return originSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A trigger that decided otherwise there. `null`: it did not evaluate the delivery, or did not list its verdict. */
export interface OriginDifference {
  attachmentId: string;
  here: VerdictOutcome | null;
  there: VerdictOutcome | null;
}

/** The triggers that fired on one side only, and those that stopped the delivery for another reason. */
export function differencesFrom(
  origin: Pick<Origin, "verdicts">,
  verdicts: readonly { attachmentId: string; outcome: VerdictOutcome }[],
): OriginDifference[] {
  const here = new Map(verdicts.map(({ attachmentId, outcome }) => [attachmentId, outcome]));
  const there = new Map(origin.verdicts.map(({ attachmentId, outcome }) => [attachmentId, outcome]));
  return [...new Set([...here.keys(), ...there.keys()])]
    .map((attachmentId) => ({
      attachmentId,
      here: here.get(attachmentId) ?? null,
      there: there.get(attachmentId) ?? null,
    }))
    .filter((one) => one.here !== one.there);
}
