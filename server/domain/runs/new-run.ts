import { AppError } from "../../contract/app-error.ts";
import type { Json } from "../../contract/json.ts";
import type { Manifest, ManifestWorkflow } from "../../contract/project/manifest.ts";
import type { Target } from "../../contract/project/target.ts";
import type { StartedBy } from "../../contract/run.ts";
import { newId } from "../ids.ts";

/** Creates a run of a trigger for the store: queued, with the payload that its transform will get. */
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
  const { maxAttempts, maxQueued, concurrency } = boundsOf(p.manifest, target);
  return {
    id: newId("run", p.now),
    trigger: slug,
    attachmentId,
    target,
    deliveryId: p.deliveryId,
    startedBy: p.startedBy,
    replayOf: p.replayOf,
    version: p.manifest.version,
    maxAttempts,
    maxQueued,
    concurrency,
    createdAt: p.now,
    payload: p.payload,
    input: null,
    keyId: p.keyId,
  };
}

function boundsOf(
  manifest: Pick<Manifest, "workflows" | "agents">,
  { kind, slug }: Target,
): { maxAttempts: number; maxQueued: number | null; concurrency: number | null } {
  const targets: readonly Pick<ManifestWorkflow, "slug" | "retries" | "maxQueued" | "concurrency">[] =
    kind === "workflow" ? manifest.workflows : manifest.agents;
  const target = targets.find((other) => other.slug === slug);
  return {
    maxAttempts: target?.retries.attempts ?? 1,
    maxQueued: target?.maxQueued ?? null,
    concurrency: target?.concurrency ?? null,
  };
}

/** The reason why `adds` more runs were not queued: AppError `queue_full`. */
export function queueFull({ target, maxQueued, adds }: { target: Target; maxQueued: number; adds: number }): AppError {
  const name = `${target.kind} ${target.slug}`;
  if (adds > maxQueued)
    return new AppError(
      "queue_full",
      `This would queue ${adds} runs of ${name} at once, but its maxQueued is ${maxQueued}. Raise maxQueued.`,
    );
  const room = adds === 1 ? "is full" : `has no room for ${adds} more runs`;
  return new AppError(
    "queue_full",
    `The queue of ${name} ${room}: its maxQueued is ${maxQueued}. No run was started. Send the request again later, or raise maxQueued.`,
  );
}
