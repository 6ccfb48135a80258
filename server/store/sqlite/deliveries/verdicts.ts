import { targetName } from "../../../contract/project/target.ts";
import { type SQL, sql } from "drizzle-orm";
import type { Reason, UnlistedVerdicts, Verdict, VerdictList } from "../../../contract/delivery.ts";
import { createDecoder, verdictOutcomeCodes } from "../../../domain/stored-codes.ts";
import type { DeliveryFilter } from "../../../ports/store/delivery-store.ts";
import type { Names } from "../names.ts";
import { delivery } from "../schema.ts";
import { readTarget, runId } from "../stored-forms.ts";

/**
 * The verdicts of a delivery as JSON: an array for each, with numbers for its names. A note about unlisted verdicts
 * comes first. The id of a run has no prefix and is in base64url.
 */
type StoredVerdict = readonly [
  trigger: number,
  attachment: number,
  /** `null`: the trigger has none. */
  target: number | null,
  outcome: number,
  run: string | null,
  reasons?: readonly Reason[],
];

interface UnlistedNote {
  unlisted: UnlistedVerdicts[];
}

const outcomeOf = createDecoder(verdictOutcomeCodes);

export function packVerdicts({ verdicts, unlistedVerdicts }: VerdictList, names: Names): string {
  const stored: (StoredVerdict | UnlistedNote)[] = verdicts.map((verdict) => packVerdict(verdict, names));
  if (unlistedVerdicts.length > 0) stored.unshift({ unlisted: unlistedVerdicts });
  return JSON.stringify(stored);
}

export function unpackVerdicts(text: string, names: Names): VerdictList {
  // The store wrote this JSON.
  const stored = JSON.parse(text) as (StoredVerdict | UnlistedNote)[];
  const list: VerdictList = { verdicts: [], unlistedVerdicts: [] };
  for (const one of stored) {
    if ("unlisted" in one) list.unlistedVerdicts = one.unlisted;
    else list.verdicts.push(unpackVerdict(one, names));
  }
  return list;
}

function packVerdict({ trigger, attachmentId, target, outcome, runId, reasons }: Verdict, names: Names): StoredVerdict {
  const named = [names.idOf(trigger), names.idOf(attachmentId), target && names.idOf(targetName(target))] as const;
  const run = runId === null ? null : packRun(runId);
  return reasons.length === 0
    ? [...named, verdictOutcomeCodes[outcome], run]
    : [...named, verdictOutcomeCodes[outcome], run, reasons];
}

function unpackVerdict(
  [trigger, attachment, target, outcome, run, reasons = []]: StoredVerdict,
  names: Names,
): Verdict {
  return {
    trigger: names.textOf(trigger),
    attachmentId: names.textOf(attachment),
    target: target === null ? null : readTarget(names.textOf(target)),
    outcome: outcomeOf(outcome),
    runId: run === null ? null : unpackRun(run),
    reasons: [...reasons],
  };
}

/** Prefix of an id that is not packed. */
const unpackedMark = "=";

function packRun(id: string): string {
  const packed = runId.pack(id);
  return typeof packed === "string" ? unpackedMark + id : Buffer.from(packed).toString("base64url");
}

function unpackRun(stored: string): string {
  return stored.startsWith(unpackedMark)
    ? stored.slice(unpackedMark.length)
    : runId.unpack(Buffer.from(stored, "base64url"));
}

/** True if a delivery lists such a verdict. */
export function hasVerdict(names: Names): (verdict: NonNullable<DeliveryFilter["verdict"]>) => SQL {
  return ({ trigger, outcomes }) =>
    sql`EXISTS (SELECT 1 FROM json_each(${delivery.verdicts}) v WHERE v.value ->> 0 = ${names.find(trigger)}
      AND v.value ->> 3 IN (SELECT value FROM json_each(${JSON.stringify(outcomes.map((one) => verdictOutcomeCodes[one]))})))`;
}
