import type { Json } from "../contract/json.ts";
import type { Manifest, ManifestWorkflow } from "../contract/manifest.ts";
import type { StartedBy } from "../contract/run.ts";
import type { Target } from "../contract/target.ts";
import { newId } from "./ids.ts";

/** A run of a trigger, as the store takes it: queued, with the payload that its transform will get. */
export function planRun(p: {
  manifest: Pick<Manifest, "version" | "workflows" | "agents">;
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
    ...boundsOf(p.manifest, target),
    createdAt: p.now,
    payload: p.payload,
    input: null,
    keyId: p.keyId,
  };
}

function boundsOf(
  manifest: Pick<Manifest, "workflows" | "agents">,
  { kind, slug }: Target,
): { maxAttempts: number; maxQueued: number | null } {
  const targets: readonly Pick<ManifestWorkflow, "slug" | "retries" | "maxQueued">[] =
    kind === "workflow" ? manifest.workflows : manifest.agents;
  const target = targets.find((other) => other.slug === slug);
  return { maxAttempts: target?.retries.attempts ?? 1, maxQueued: target?.maxQueued ?? null };
}
