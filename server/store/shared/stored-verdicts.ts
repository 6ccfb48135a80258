import { inflateRawSync } from "node:zlib";
import type { Reason, UnlistedVerdicts, Verdict, VerdictList } from "../../contract/delivery.ts";

/**
 * The verdicts of a delivery as its row has them: the listed ones, behind a note if there are others. Earlier versions
 * wrote another note: the verdicts that many deliveries have in common are in a row of `verdict_set`.
 */
export type StoredVerdicts = readonly Verdict[] | readonly [UnlistedNote | SharedNote, ...Verdict[]];

interface UnlistedNote {
  unlisted: UnlistedVerdicts[];
}

interface SharedNote {
  /** The id of the shared list. */
  set: number;
  /** The values of this body, by pointer, that the reasons of the shared list leave open. */
  actuals: Readonly<Record<string, string | null>>;
  /** The indexes of the delivery's own verdicts, which replace those of the shared list. Ascending. */
  places: readonly number[];
}

/** A shared list, in the order of the triggers; `null`: each delivery has its own verdict. */
export type SharedVerdicts = readonly (SharedVerdict | null)[];

interface SharedVerdict extends Omit<Verdict, "reasons"> {
  /** Without `actual`, the delivery has the value. */
  reasons: readonly (Omit<Reason, "actual"> & { actual?: string | null })[];
}

export function toStoredVerdicts({ verdicts, unlistedVerdicts }: VerdictList): StoredVerdicts {
  return unlistedVerdicts.length === 0 ? verdicts : [{ unlisted: unlistedVerdicts }, ...verdicts];
}

export function readStoredVerdicts(stored: StoredVerdicts, readShared: (id: number) => SharedVerdicts): VerdictList {
  const { note, own } = split(stored);
  if (note === null) return { verdicts: own, unlistedVerdicts: [] };
  if ("unlisted" in note) return { verdicts: own, unlistedVerdicts: note.unlisted };
  const byIndex = new Map(own.map((verdict, at) => [note.places[at], verdict]));
  const verdicts = readShared(note.set).map((shared, at) => {
    const verdict = byIndex.get(at) ?? (shared && withActuals(shared, note.actuals));
    if (verdict) return verdict;
    throw new Error(`Stored verdicts have none of trigger ${at}.`);
  });
  return { verdicts, unlistedVerdicts: [] };
}

/** The verdicts in the row itself. */
export function ownVerdicts(stored: StoredVerdicts): Verdict[] {
  return split(stored).own;
}

/** The id of the shared list; `null`: the row has all verdicts. */
export function sharedListOf(stored: StoredVerdicts): number | null {
  const { note } = split(stored);
  return note && "set" in note ? note.set : null;
}

/** The content of a row of `verdict_set`: JSON, raw deflate (RFC 1951). */
export function unpackSharedVerdicts(bytes: Uint8Array): SharedVerdicts {
  return JSON.parse(inflateRawSync(bytes).toString());
}

function split(stored: StoredVerdicts): { note: UnlistedNote | SharedNote | null; own: Verdict[] } {
  const [first, ...others] = stored;
  if (first === undefined || "trigger" in first) return { note: null, own: stored as Verdict[] };
  return { note: first, own: others as Verdict[] };
}

/** With its fields in the order in which every verdict has them. */
function withActuals(
  { trigger, attachmentId, target, outcome, runId, reasons }: SharedVerdict,
  actuals: SharedNote["actuals"],
): Verdict {
  const completed = reasons.map(({ pointer, code, message, expected, actual }): Reason => ({
    pointer,
    code,
    message,
    expected,
    actual: actual === undefined ? (actuals[pointer] ?? null) : actual,
  }));
  return { trigger, attachmentId, target, outcome, runId, reasons: completed };
}
