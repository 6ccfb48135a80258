import type { DeliverySummary } from "../../contract/delivery.ts";
import type { Manifest } from "../../contract/project/manifest.ts";
import { hidingFaker, maskedText } from "./fake-value.ts";
import { maskSummary } from "./mask-delivery.ts";
import { concernsRun, createRunMask, type RunOrigin } from "./mask-run.ts";
import { readSensitiveRules, type SensitiveRules } from "./sensitive-rules.ts";

/**
 * For the receiver and the workers, which execute code of the project: what they write to terminals, logs and traces
 * has `[masked]` in place of sensitive values. They do not have the key of the fakes.
 */

const rulesOf = new WeakMap<object, { rules: SensitiveRules | null }>();

function readRules(manifest: Manifest): SensitiveRules | null {
  const known = rulesOf.get(manifest) ?? { rules: readSensitiveRules([manifest]) };
  rulesOf.set(manifest, known);
  return known.rules;
}

/** A delivery that this build has evaluated, for a terminal. */
export function hideInDelivery(manifest: Manifest, delivery: DeliverySummary): DeliverySummary {
  const rules = readRules(manifest)?.endpoints.get(delivery.endpoint);
  return rules ? maskSummary(delivery, rules, hidingFaker) : delivery;
}

/**
 * Hides the sensitive values of a run in a text. `listOrigins`: see `createRunMask`. It is called only if the build has
 * sensitive fields: a run can have thousands of relatives.
 */
export function hideInText(
  manifest: Manifest,
  listOrigins: () => [RunOrigin, ...RunOrigin[]],
): (text: string) => string {
  const rules = readRules(manifest);
  if (!rules) return (text) => text;
  const origins = listOrigins();
  if (!origins.some((origin) => concernsRun(rules, origin, origin.events))) return (text) => text;
  return createRunMask(rules, origins, hidingFaker, { shown: maskedText }).scrub.text;
}
