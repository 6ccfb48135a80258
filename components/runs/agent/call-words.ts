import { CircleSlash, Hourglass, LoaderCircle, TriangleAlert } from "lucide-react";
import type { ModelFailureStep } from "../../../server/contract/agent-step.ts";
import type { StatusFace } from "../../ui/statuses.ts";
import type { Turn } from "./conversation.ts";

/** How a call of the model stands that has no answer. */
export function callFaces({ isAsking, live, failures }: Pick<Turn, "isAsking" | "live" | "failures">): StatusFace {
  if (isAsking)
    return {
      label: live && (live.text !== "" || live.reasoning !== "") ? "answering" : "asked",
      icon: LoaderCircle,
      tone: "run",
    };
  const last = failures.at(-1);
  if (last && last.again !== null) return { label: "waits to be asked again", icon: Hourglass, tone: "wait" };
  return last && last.failure.waitMs === null
    ? { label: "failed", icon: TriangleAlert, tone: "bad" }
    : { label: "not answered", icon: CircleSlash, tone: "idle" };
}

const finishes: Record<string, string> = {
  stop: "said all",
  length: "cut off: it was too long",
  "content-filter": "stopped by the provider’s filter",
  "tool-calls": "calls tools",
  error: "broke off",
};

/** Why a model stopped, in words; those of providers that we do not know stay as they are. */
export function sayFinish(reason: string): string {
  return Object.hasOwn(finishes, reason) ? (finishes[reason] ?? reason) : `finished: ${reason}`;
}

/** What kind of failure a call of the model had. */
export const failureWords: Record<ModelFailureStep["kind"], string> = {
  rate_limited: "The provider limits the rate",
  overloaded: "The provider is overloaded or broken",
  timed_out: "It took too long",
  disconnected: "The connection broke off",
  refused: "The provider refused it",
};
