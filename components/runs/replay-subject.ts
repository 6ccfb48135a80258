import type { Run } from "../../server/contract/run.ts";

/**
 * What a replay begins with: the payload, through the transform that is deployed now; or the input, where the run had
 * no payload.
 */
export function replaySubject(run: Pick<Run, "payload" | "attachmentId" | "input">): "payload" | "input" {
  // A payload can be JSON's `null`: a run of a trigger whose input is not known has just that.
  return run.payload !== null || (run.attachmentId !== null && run.input === null) ? "payload" : "input";
}
