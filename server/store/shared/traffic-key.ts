/**
 * The key of a count: deliveries on an endpoint (`attachmentId: ""`) or the verdicts of an attachment on it, in one
 * minute, by outcome.
 */
export interface TrafficKey {
  /** The start of the minute, UTC milliseconds. */
  at: number;
  outcome: string;
  attachmentId: string;
  endpoint: string;
}

/** As text. The endpoint is last, because callers choose the names of unknown endpoints. The other parts have no spaces. */
export function writeTrafficKey({ at, outcome, attachmentId, endpoint }: TrafficKey): string {
  return `${at} ${outcome} ${attachmentId} ${endpoint}`;
}

export function readTrafficKey(text: string): TrafficKey {
  const [at = "", outcome = "", attachmentId = ""] = text.split(" ", 3);
  return {
    at: Number(at),
    outcome,
    attachmentId,
    endpoint: text.slice(at.length + outcome.length + attachmentId.length + 3),
  };
}
