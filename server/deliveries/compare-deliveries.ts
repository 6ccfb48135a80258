import type {
  DeliveryComparison,
  DeliveryDetails,
  DeliveryDifference,
  Verdict,
  VerdictList,
} from "../contract/delivery.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import { reasonParts } from "../shared/deliveries/describe-reason.ts";
import { formatNumber } from "../shared/format.ts";
import { type JsonLine, layOutJson, nameOf } from "../shared/json/json-layout.ts";
import { toPointer } from "../shared/json/json-pointer.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import { showDelivery } from "./describe-delivery.ts";

const maxDifferences = 200;

/** The differences between two deliveries: bodies by path, verdicts, headers. Throws AppError `not_found`. */
export async function compareDeliveries(
  deps: { store: Pick<DeliveryStore, "getDelivery" | "findWoken">; project: ProjectReader },
  { id, other }: { id: string; other: string },
): Promise<DeliveryComparison> {
  const [one, two] = await Promise.all([showDelivery(deps, id), showDelivery(deps, other)]);
  const { outcome, responseStatus, receivedAt } = two;
  return {
    other: { id: two.id, outcome, responseStatus, receivedAt },
    parts: [
      { title: "Bodies", ...differencesOfBodies(one, two) },
      {
        title: "Verdicts",
        same: "All triggers have the same verdicts, for the same reasons.",
        differences: diffVerdicts(one, two),
      },
      { title: "Headers", same: "No differences.", differences: diffHeaders(one.headers, two.headers) },
    ],
  };
}

function differencesOfBodies(
  one: DeliveryDetails,
  two: DeliveryDetails,
): Omit<DeliveryComparison["parts"][number], "title"> {
  if (one.bodySha256 !== null && one.bodySha256 === two.bodySha256)
    return { same: "The bodies are identical, byte for byte.", differences: [] };
  if (!one.body || !two.body) return { same: "One of the deliveries has no stored body.", differences: [] };
  const [first, second] = [evaluatedText(one), evaluatedText(two)];
  const found = first === null || second === null ? null : diffJson(first, second, maxDifferences);
  return found === null
    ? {
        same: "The bodies differ. They cannot be compared by path, because one of them is neither JSON nor a form.",
        differences: [],
      }
    : {
        same: "The values are the same. Only whitespace or the order of keys differs.",
        differences: found.map(({ pointer, ...difference }) => ({ name: pointer || "the whole body", ...difference })),
        ...(found.length >= maxDifferences && { more: `Only the first ${maxDifferences} differences are shown.` }),
      };
}

/** The JSON that triggers evaluate; `null`: the body is not text. */
function evaluatedText({ body, evaluated }: DeliveryDetails): string | null {
  if (evaluated || body === null) return evaluated?.text ?? null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(body, "base64"));
  } catch {
    return null;
  }
}

/** Headers of the connection, which differ between any two requests. */
const connectionHeaders = new Set(["content-length", "host", "connection", ...Object.values(ownHeaders)]);

/** One path where two bodies differ. `written`: the same value in another notation, such as `1.0` and `1`. */
type Difference = Omit<DeliveryDifference, "name"> & { pointer: string };

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
export function diffHeaders(before: Record<string, string>, after: Record<string, string>): DeliveryDifference[] {
  return diffNames(new Map(Object.entries(before)), new Map(Object.entries(after))).filter(
    ({ name }) => !connectionHeaders.has(name),
  );
}

/** Triggers with another verdict, or with another reason, and other numbers of verdicts that are not listed. */
export function diffVerdicts(before: VerdictList, after: VerdictList): DeliveryDifference[] {
  return diffNames(decisions(before), decisions(after));
}

function decisions({ verdicts, unlistedVerdicts }: VerdictList): Map<string, string> {
  return new Map([
    ...verdicts.map((verdict) => [verdictName(verdict), verdictText(verdict)] as const),
    ...unlistedVerdicts.map(
      ({ outcome, pointer, count }) =>
        [`not listed: ${outcome.replaceAll("_", " ")}${pointer ? ` at ${pointer}` : ""}`, formatNumber(count)] as const,
    ),
  ]);
}

function verdictName({ trigger, target }: Verdict): string {
  return target ? `${trigger} → ${target.slug}` : trigger;
}

function verdictText({ outcome, reasons }: Verdict): string {
  const parts = reasons.map((reason) => {
    const { path } = reasonParts(reason);
    return path === null ? reason.message : `${path} ${reason.expected ?? reason.message}`;
  });
  return [outcome.replaceAll("_", " "), ...parts].join(" · ");
}

function diffNames(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): DeliveryDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, before: before.get(name) ?? null, after: after.get(name) ?? null }))
    .filter((difference) => difference.before !== difference.after)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((difference) => ({
      ...difference,
      kind: difference.before === null ? "added" : difference.after === null ? "removed" : "changed",
    }));
}
