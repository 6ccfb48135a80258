import { ownHeaders, type Verdict } from "../../../server/contract/delivery.ts";
import { reasonParts } from "../say-reason.ts";

/** One name whose values differ; `null`: absent. */
export interface NamedDifference {
  name: string;
  before: string | null;
  after: string | null;
}

/** Headers of the connection, which differ between any two requests. */
const ofTheConnection = new Set(["content-length", "host", "connection", ...Object.values(ownHeaders)]);

/** Headers whose values differ, by name. */
export function diffHeaders(before: Record<string, string>, after: Record<string, string>): NamedDifference[] {
  return diffNames(new Map(Object.entries(before)), new Map(Object.entries(after))).filter(
    ({ name }) => !ofTheConnection.has(name),
  );
}

/** Triggers with another verdict, or with another reason. */
export function diffVerdicts(before: readonly Verdict[], after: readonly Verdict[]): NamedDifference[] {
  return diffNames(decisions(before), decisions(after));
}

function decisions(verdicts: readonly Verdict[]): Map<string, string> {
  return new Map(verdicts.map((verdict) => [`${verdict.trigger} → ${verdict.target.slug}`, decided(verdict)]));
}

function decided({ outcome, reasons }: Verdict): string {
  const parts = reasons.map((reason) => {
    const { where } = reasonParts(reason);
    return where === null ? reason.message : `${where} ${reason.expected ?? reason.message}`;
  });
  return [outcome.replaceAll("_", " "), ...parts].join(" · ");
}

function diffNames(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): NamedDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, before: before.get(name) ?? null, after: after.get(name) ?? null }))
    .filter((difference) => difference.before !== difference.after)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
