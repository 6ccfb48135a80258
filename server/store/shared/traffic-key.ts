/**
 * What is counted: deliveries on an endpoint (`attachmentId: ""`) or the verdicts of an attachment there, in one
 * minute, by outcome.
 */
export interface TrafficKey {
  /** The start of the minute, UTC milliseconds. */
  at: number;
  outcome: string;
  attachmentId: string;
  endpoint: string;
}

/** As text. The endpoint stands last: unknown ones have whatever name callers gave them, all else is without spaces. */
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
