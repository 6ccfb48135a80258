import { CircleSlash, Hourglass, LoaderCircle, TriangleAlert } from "lucide-react";
import type { ModelFailureStep } from "../../../server/contract/agent/trace.ts";
import type { StatusStyle } from "../../ui/statuses.ts";
import type { Turn } from "./conversation.ts";

/** The status of a model call without an answer. */
export function callFaces({ isAsking, live, failures }: Pick<Turn, "isAsking" | "live" | "failures">): StatusStyle {
  if (isAsking)
    return {
      label: live && (live.text !== "" || live.reasoning !== "") ? "answering" : "waiting for the model",
      icon: LoaderCircle,
      tone: "run",
    };
  const last = failures.at(-1);
  if (last && last.again !== null) return { label: "waiting to retry", icon: Hourglass, tone: "wait" };
  return last && last.failure.waitMs === null
    ? { label: "failed", icon: TriangleAlert, tone: "bad" }
    : { label: "no answer", icon: CircleSlash, tone: "idle" };
}

const finishes: Record<string, string> = {
  stop: "complete",
  length: "cut off at the length limit",
  "content-filter": "stopped by the content filter",
  "tool-calls": "calls tools",
  error: "interrupted",
};

/** Why a model stopped. Unknown reasons are shown as the provider sent them. */
export function sayFinish(reason: string): string {
  return Object.hasOwn(finishes, reason) ? (finishes[reason] ?? reason) : `finished: ${reason}`;
}

/** The title of each kind of failed model call. */
export const failureWords: Record<ModelFailureStep["kind"], string> = {
  rate_limited: "Rate limit of the provider",
  overloaded: "Provider overloaded or unavailable",
  timed_out: "Timeout",
  disconnected: "Connection lost",
  refused: "Rejected by the provider",
};
