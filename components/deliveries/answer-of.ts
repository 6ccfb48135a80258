import type { Delivery } from "../../server/contract/delivery.ts";

/** What the sender was told. */
export interface Answer {
  status: number;
  /** As it was written; without the headers of every answer. */
  body: string;
  headers: [name: string, value: string][];
}

/** The answer that a delivery was given: it follows from what the delivery keeps. */
export function answerOf({ id, outcome, responseStatus, problem, verdicts }: Pick<Delivery, "id" | "outcome" | "responseStatus" | "problem" | "verdicts">): Answer {
  const own: [string, string] = ["signalbox-delivery", id];
  if (problem) return { status: responseStatus, body: JSON.stringify(problem), headers: [["content-type", "application/problem+json"], own] };
  if (outcome === "skipped") return { status: responseStatus, body: '{"ok":true,"skipped":true}', headers: [["content-type", "application/json"], own] };
  const runs = verdicts.flatMap(({ runId, trigger, target }) => (runId === null ? [] : [{ runId, trigger, target }]));
  const runId = runs[0]?.runId ?? null;
  const repeated: [string, string][] = outcome === "repeated" ? [["idempotent-replayed", "true"]] : [];
  return { status: responseStatus, body: JSON.stringify({ ok: true, runId, runs }), headers: [["content-type", "application/json"], ["location", `/api/v1/runs/${runId}`], ...repeated, own] };
}
