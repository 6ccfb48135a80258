import type { Run } from "../../server/contract/run.ts";

/**
 * The value that a replay starts from: the payload, which passes through the current transform, or the input of a run
 * without a payload.
 */
export function replaySubject(run: Pick<Run, "payload" | "attachmentId" | "input">): "payload" | "input" {
  // A payload can be JSON `null`: then the run has a trigger, and no input yet.
  return run.payload !== null || (run.attachmentId !== null && run.input === null) ? "payload" : "input";
}
