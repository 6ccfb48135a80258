import { ownHeaders, type Verdict, type VerdictList } from "../../../server/contract/delivery.ts";
import { formatNumber } from "../../../server/domain/format.ts";
import { toPointer } from "../../../server/domain/json/json-pointer.ts";
import { type JsonLine, layOutJson } from "../../json/json-layout.ts";
import { nameOf } from "../../json/pointers.ts";
import { reasonParts } from "../../../server/domain/deliveries/describe-reason.ts";

/** One name whose values differ; `null`: absent. */
interface NamedDifference {
  name: string;
  before: string | null;
  after: string | null;
}

/** Headers of the connection, which differ between any two requests. */
const connectionHeaders = new Set(["content-length", "host", "connection", ...Object.values(ownHeaders)]);

/** One path where two bodies differ. `written`: the same value in another notation, such as `1.0` and `1`. */
export interface Difference {
  pointer: string;
  kind: "added" | "removed" | "changed" | "written";
  before: string | null;
  after: string | null;
}

interface Document {
  text: string;
  lines: readonly JsonLine[];
}

interface Pair {
  pointer: string;
  before: number | null;
  after: number | null;
}

/**
 * The differences between two JSON documents, in the order of the first. Keys that only the second document has come
 * last in their object. Array items are compared by index. `null`: one of the documents is not JSON. At most `max`
 * differences.
 */
export function diffJson(before: string, after: string, max = 500): Difference[] | null {
  const one = documentOf(before);
  const two = documentOf(after);
  if (!one || !two) return null;
  const differences: Difference[] = [];
  const open: Pair[] = [{ pointer: "", before: 0, after: 0 }];
  for (let pair = open.pop(); pair && differences.length < max; pair = open.pop()) {
    const difference = compare(one, two, pair);
    if (difference === "compare members") open.push(...memberPairs(one, two, pair).reverse());
    else if (difference) differences.push(difference);
  }
  return differences;
}

function documentOf(text: string): Document | null {
  const lines = layOutJson(text);
  return lines && { text, lines };
}

function compare(
  one: Document,
  two: Document,
  { pointer, before, after }: Pair,
): Difference | "compare members" | null {
  if (before === null)
    return after === null ? null : { pointer, kind: "added", before: null, after: valueText(two, after) };
  if (after === null) return { pointer, kind: "removed", before: valueText(one, before), after: null };
  const kind = one.lines[before]?.kind;
  const isSameKind = kind === two.lines[after]?.kind;
  if (isSameKind && (kind === "object" || kind === "array")) return "compare members";
  const texts = { before: valueText(one, before), after: valueText(two, after) };
  if (isSameKind && tokenText(one, before) === tokenText(two, after)) return null;
  const isSameValue = isSameKind && JSON.parse(tokenText(one, before)) === JSON.parse(tokenText(two, after));
  return { pointer, kind: isSameValue ? "written" : "changed", ...texts };
}

function memberPairs(one: Document, two: Document, { pointer, before, after }: Pair): Pair[] {
  const first = membersOf(one, before ?? 0);
  const second = membersOf(two, after ?? 0);
  return [...new Set([...first.keys(), ...second.keys()])].map((name) => ({
    pointer: pointer + toPointer([name]),
    before: first.get(name) ?? null,
    after: second.get(name) ?? null,
  }));
}

/** The lines of the members of an object or array, by key or index. The last one of a repeated key counts. */
function membersOf({ text, lines }: Document, parent: number): Map<string, number> {
  const members = new Map<string, number>();
  const end = lines[parent]?.last ?? parent;
  for (let at = parent + 1, index = 0; at < end; index++) {
    const line = lines[at];
    if (!line) break;
    members.set(nameOf(text, line) ?? String(index), at);
    at = line.last + 1;
  }
  return members;
}

const maxCharacters = 300;

function valueText({ text, lines }: Document, at: number): string {
  const line = lines[at];
  if (!line) return "";
  if (line.count === 0 && line.kind === "object") return "{}";
  if (line.count === 0 && line.kind === "array") return "[]";
  const whole = text.slice(line.token.start, lines[line.last]?.token.end ?? line.token.end);
  return whole.length > maxCharacters ? `${whole.slice(0, maxCharacters)}…` : whole;
}

function tokenText({ text, lines }: Document, at: number): string {
  const token = lines[at]?.token;
  return token ? text.slice(token.start, token.end) : "";
}

/** Headers whose values differ, by name. */
export function diffHeaders(before: Record<string, string>, after: Record<string, string>): NamedDifference[] {
  return diffNames(new Map(Object.entries(before)), new Map(Object.entries(after))).filter(
    ({ name }) => !connectionHeaders.has(name),
  );
}

/** Triggers with another verdict, or with another reason, and other numbers of verdicts that are not listed. */
export function diffVerdicts(before: VerdictList, after: VerdictList): NamedDifference[] {
  return diffNames(decisions(before), decisions(after));
}

function decisions({ verdicts, unlistedVerdicts }: VerdictList): Map<string, string> {
  return new Map([
    ...verdicts.map((verdict) => [`${verdict.trigger} → ${verdict.target.slug}`, verdictText(verdict)] as const),
    ...unlistedVerdicts.map(
      ({ outcome, pointer, count }) =>
        [`not listed: ${outcome.replaceAll("_", " ")}${pointer ? ` at ${pointer}` : ""}`, formatNumber(count)] as const,
    ),
  ]);
}

function verdictText({ outcome, reasons }: Verdict): string {
  const parts = reasons.map((reason) => {
    const { path } = reasonParts(reason);
    return path === null ? reason.message : `${path} ${reason.expected ?? reason.message}`;
  });
  return [outcome.replaceAll("_", " "), ...parts].join(" · ");
}

function diffNames(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): NamedDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, before: before.get(name) ?? null, after: after.get(name) ?? null }))
    .filter((difference) => difference.before !== difference.after)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
