import { containsRedacted } from "../privacy/redaction.ts";
import { type Sketch, countOf, depthOf } from "./sketch.ts";
import { isConstantLike } from "./string-facts.ts";

/** A string that names the kind of an event: a header, or a field by its path in the sketch. */
export interface Discriminator {
  at: { header: string } | { path: string };
  /** The kinds with their number of payloads, the most frequent first. */
  values: ReadonlyMap<string, number>;
}

/** Headers by which senders name the kind of an event, e.g. `x-github-event`, `x-shopify-topic`. */
const headerNames = /(?:^|-)(?:event|topic|event-type|event-key|event-name|hook-type|webhook-type|ce-type)$/;

/** Fields by which senders name the kind of an event. */
const fieldNames =
  /^(?:type|event|events?_?type|event_?name|kind|object_kind|action|topic|notification_?type|webhook_?type|message_?type|trigger)$/i;

/** Objects that have the event itself, beside what surrounds it. */
const wrappers = /^(?:event|data|payload|body|message|detail|meta|metadata|header|headers|object)$/i;

/** Maximum number of candidates whose kinds are sketched separately. */
const maxCandidates = 4;

/** The headers of a request that may name its kind. */
export function kindHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) =>
        headerNames.test(name) && name !== "content-type" && isConstantLike(value) && !containsRedacted(value),
    ),
  );
}

/**
 * The strings that every payload has and that may name its kind: headers first, then fields, the shallow ones first.
 * `headers` is the sketch of the `kindHeaders` of the same payloads.
 */
export function findCandidates({ bodies, headers }: { bodies: Sketch; headers: Sketch }): Discriminator[] {
  const ofHeaders = constantsIn(headers, () => true).map(({ path, values }): Discriminator => {
    return { at: { header: path.slice(1).replaceAll("~1", "/").replaceAll("~0", "~") }, values };
  });
  const ofFields = constantsIn(bodies, isKindField).map(({ path, values }): Discriminator => ({
    at: { path },
    values,
  }));
  return [...ofHeaders, ...ofFields].slice(0, maxCandidates);
}

function isKindField(path: string): boolean {
  const cut = path.lastIndexOf("/");
  const parent = path.slice(0, cut);
  return (parent === "" || isWrapperName(parent.slice(1))) && isKindName(path.slice(cut + 1));
}

/** Whether senders name the kind of an event in a field of this name. */
export function isKindName(name: string): boolean {
  return fieldNames.test(name);
}

/** Whether an object with this name usually has the event itself. */
export function isWrapperName(name: string): boolean {
  return wrappers.test(name);
}

function constantsIn(
  sketch: Sketch,
  isWanted: (path: string) => boolean,
): { path: string; values: Map<string, number> }[] {
  return [...sketch.paths]
    .flatMap(([path, { types, values }]) =>
      path !== "" && types.string === sketch.count && values !== null && isWanted(path)
        ? [{ path, values: new Map([...values].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))) }]
        : [],
    )
    .sort((one, other) => depthOf(one.path) - depthOf(other.path) || (one.path < other.path ? -1 : 1));
}

/**
 * The candidate whose kinds explain best which fields a payload has; `null`: none explains most of it. A candidate with
 * one value is a discriminator only if no other one is. `sketchesOf` has the sketch of each kind.
 */
export function chooseDiscriminator(
  bodies: Sketch,
  candidates: readonly { candidate: Discriminator; sketches: ReadonlyMap<string, Sketch> }[],
): Discriminator | null {
  const paths = variablePaths(bodies);
  let best: { candidate: Discriminator; share: number } | null = null;
  for (const { candidate, sketches } of candidates) {
    if (candidate.values.size < 2) continue;
    const share = explainedShare(paths, [...sketches.values()]);
    if (share >= minExplained && share > (best?.share ?? 0)) best = { candidate, share };
  }
  if (best) return best.candidate;
  const constant = candidates.find(({ candidate }) => candidate.values.size === 1)?.candidate;
  return constant && bodies.count >= minConstant ? constant : null;
}

/** A discriminator explains at least this share of the fields that only some payloads have. */
const minExplained = 0.5;

/** A value that is the same in fewer payloads may be a coincidence. */
const minConstant = 3;

/** Shallow named fields that only some payloads have. */
function variablePaths({ paths, count }: Sketch): string[] {
  return [...paths].flatMap(([path, facts]) =>
    depthOf(path) <= 3 && !path.includes("/~") && countOf(facts) < count ? [path] : [],
  );
}

/** The share of paths that each kind always has or never has. Kinds of one payload say nothing. */
function explainedShare(paths: readonly string[], kinds: readonly Sketch[]): number {
  const repeated = kinds.filter(({ count }) => count >= 2);
  if (paths.length === 0 || repeated.length === 0) return 0;
  const isExplained = (path: string) =>
    repeated.every(({ paths: own, count }) => {
      const facts = own.get(path);
      return facts === undefined || countOf(facts) === count;
    });
  return paths.filter(isExplained).length / paths.length;
}
