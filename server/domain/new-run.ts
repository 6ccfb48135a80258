import type { Json } from "../contract/json.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { StartedBy } from "../contract/run.ts";
import type { Target } from "../contract/target.ts";
import { newId } from "./ids.ts";

/** A run of a trigger, as the store takes it: queued, with the payload that its transform will get. */
export function planRun(p: {
  manifest: Pick<Manifest, "version" | "workflows">;
  trigger: { slug: string; attachmentId: string; target: Target };
  payload: Json | null;
  now: number;
  startedBy: StartedBy;
  deliveryId: string | null;
  replayOf: string | null;
  keyId: string | null;
}) {
  const { slug, attachmentId, target } = p.trigger;
  return {
    id: newId("run", p.now),
    trigger: slug,
    attachmentId,
    target,
    deliveryId: p.deliveryId,
    startedBy: p.startedBy,
    replayOf: p.replayOf,
    version: p.manifest.version,
    maxAttempts: maxAttemptsOf(p.manifest, target),
    createdAt: p.now,
    payload: p.payload,
    input: null,
    keyId: p.keyId,
  };
}

function maxAttemptsOf(manifest: Pick<Manifest, "workflows">, target: Target): number {
  if (target.kind !== "workflow") return 1;
  return manifest.workflows.find(({ slug }) => slug === target.slug)?.retries.attempts ?? 1;
}
