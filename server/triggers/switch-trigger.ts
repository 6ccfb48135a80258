import type { Disabled, DisabledTriggers } from "../contract/disabled.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { SwitchStore } from "../ports/store.ts";
import { triggersWithSlug } from "./find-triggers.ts";

/** `disabled: null` means that it is enabled. */
export interface SwitchedTrigger {
  slug: string;
  disabled: Disabled | null;
}

/**
 * Disables a trigger from the next request: webhooks, redeliveries and test events start no runs of it, across builds
 * and restarts, until it is enabled. Its existing runs continue and can be replayed. Throws AppError `not_found`.
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
 * Enables a trigger. A trigger that was removed from the project can be enabled in advance of its return. Throws
 * AppError `not_found`.
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
