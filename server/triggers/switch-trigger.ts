import type { Disabled, DisabledTriggers } from "../contract/disabled.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { SwitchStore } from "../ports/store.ts";
import { triggersWithSlug } from "./find-triggers.ts";

/** `disabled: null`: it is on. */
export interface SwitchedTrigger {
  slug: string;
  disabled: Disabled | null;
}

/**
 * Switches a trigger off: webhooks, redeliveries and deliveries from forms start nothing by it, from the next request
 * on and over builds and restarts, until it is switched on. Its runs go on, and may be replayed. Throws AppError
 * `not_found`.
 */
export async function disableTrigger(
  deps: { store: SwitchStore; project: ProjectReader; clock: Clock },
  { slug, reason }: { slug: string; reason: string | null },
): Promise<SwitchedTrigger> {
  triggersWithSlug(deps.project.current(), slug);
  await deps.store.switchTrigger({ slug, disable: { at: deps.clock.now(), reason } });
  return stateOf(slug, await deps.store.listDisabledTriggers());
}

/**
 * Switches it on again. A trigger that has left the project may be switched on for when it comes back. Throws AppError
 * `not_found`.
 */
export async function enableTrigger(
  deps: { store: SwitchStore; project: ProjectReader },
  slug: string,
): Promise<SwitchedTrigger> {
  const wasOff = await deps.store.switchTrigger({ slug, disable: null });
  if (!wasOff) triggersWithSlug(deps.project.current(), slug);
  return stateOf(slug, await deps.store.listDisabledTriggers());
}

function stateOf(slug: string, disabled: DisabledTriggers): SwitchedTrigger {
  return { slug, disabled: disabled.get(slug) ?? null };
}
