import type { DisabledTriggers } from "../contract/disabled.ts";
import type { Verdict } from "../contract/delivery.ts";
import { isFolded, type Verdicts } from "../domain/deliveries/verdict-list.ts";
import type { TriggerSource } from "../ports/project.ts";

/** The verdicts with some triggers disabled: the verdict of a disabled trigger is always `disabled`. */
export function silenceDisabled(
  verdicts: Verdicts,
  { triggers, disabled }: { triggers: readonly TriggerSource[]; disabled: DisabledTriggers },
): Verdicts {
  const places = triggers.flatMap(({ slug }, at) => (disabled.has(slug) ? [at] : []));
  if (places.length === 0) return verdicts;
  const silenced = new Map(
    places.flatMap((at) => (triggers[at] ? [[at, disabledVerdict(triggers[at], disabled)] as const] : [])),
  );
  if (!isFolded(verdicts)) return verdicts.map((verdict, at) => silenced.get(at) ?? verdict);
  // What others have in common stays as it is: these are this delivery's own.
  const own = new Map<number, Verdict>(
    verdicts.own.flatMap((verdict, index) =>
      verdicts.places[index] === undefined ? [] : [[verdicts.places[index], verdict] as const],
    ),
  );
  for (const [at, verdict] of silenced) own.set(at, verdict);
  const ordered = [...own].sort(([a], [b]) => a - b);
  return { ...verdicts, own: ordered.map(([, verdict]) => verdict), places: ordered.map(([at]) => at) };
}

/** What a trigger that is switched off says of every body. */
export function disabledVerdict(
  { slug, attachmentId, target }: Pick<TriggerSource, "slug" | "attachmentId" | "target">,
  disabled: DisabledTriggers,
): Verdict {
  const { at = "", reason = null } = disabled.get(slug) ?? {};
  const message = `Switched off since ${at}${reason === null ? "" : `: ${reason}`}`;
  return {
    trigger: slug,
    attachmentId,
    target,
    outcome: "disabled",
    runId: null,
    reasons: [{ pointer: "", code: "disabled", message, expected: null, actual: null }],
  };
}
