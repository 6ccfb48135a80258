import type { Json } from "../../contract/json.ts";
import type { ProblemError } from "../../contract/problem.ts";
import type { Reason } from "../../contract/delivery.ts";
import { shortPointer, valueAt } from "../../shared/json/json-pointer.ts";
import {
  compareAlternatives,
  compareDistances,
  type Comparison,
  type Shape,
  shapeBelow,
} from "../../shared/schema/nearest-alternative.ts";
import { shortJson, shortText } from "../../shared/json/short-json.ts";
import type { AnyIssue } from "../../ports/project.ts";
import { describeExpected, oneOf } from "./expected.ts";
import { isFixedValue, omittedOf } from "./omitted.ts";
import { shapeOfZod } from "./shape-of-zod.ts";

/** A body with a hundred thousand bad items is not explained a hundred thousand times. */
export const maxReasons = 20;

/**
 * The reasons why a body does not match, from Zod's issues (of Zod 4 or Zod 3): path, expected value and actual value.
 * `schema`: the schema that it was parsed with.
 */
export function explainIssues(issues: readonly AnyIssue[], body: Json, schema: unknown = null): Reason[] {
  const reasons: Reason[] = [];
  const root: Place = { path: [], skip: 0, shape: schema === null ? null : shapeOfZod(schema) };
  for (const issue of issues) {
    reasons.push(...explainIssue(issue, root, body));
    if (reasons.length >= maxReasons) break;
  }
  return reasons.slice(0, maxReasons);
}

/** The same as a sender or caller gets it, in a problem. Every entrance words the same mistake by this. */
export function toProblemErrors(reasons: readonly Reason[]): ProblemError[] {
  return reasons.map(({ pointer, code, message }) => ({ pointer, code, message }));
}

/** Where the paths of issues begin: the body, or a union in it. */
interface Place {
  path: readonly PropertyKey[];
  /** The number of path segments of an issue that lead here: in Zod 3, every path begins at the root. */
  skip: number;
  /** The shape at this path; `null`: unknown. */
  shape: Shape | null;
}

function explainIssue(issue: AnyIssue, at: Place, body: Json): Reason[] {
  const path = [...at.path, ...issue.path.slice(at.skip)];
  const branches = branchesOf(issue, at, body);
  if (branches.length === 0) return [reason(issue, path, body)];
  if (branches.every(({ issues, place }) => issues.every((inner) => inner.path.length === place.skip)))
    return [wholeUnion(issue, branches, path, body)];
  const { nearest, unmet } = chooseBranch(branches, valueAt(body, path));
  if (unmet) return [unmetReason(unmet, path, body)];
  return nearest
    ? nearest.issues.slice(0, maxReasons).flatMap((inner) => explainIssue(inner, nearest.place, body))
    : [];
}

/**
 * The branch that the value is nearest to. If the shapes are unknown or do not distinguish the branches, the issues
 * decide.
 */
function chooseBranch(
  branches: readonly Branch[],
  value: Json | undefined,
): { nearest: Branch | undefined; unmet: Comparison["unmet"] } {
  const shapes = branches.map(({ place }) => place.shape).filter((shape) => shape !== null);
  const compared = value !== undefined && shapes.length === branches.length ? compareAlternatives(shapes, value) : null;
  const ranked = branches.map((branch, index) => ({
    branch,
    distance: compared ? [...(compared.distances[index] ?? []), countIssues(branch)] : distanceOf(branch),
  }));
  const [first] = ranked.toSorted((a, b) => compareDistances(a.distance, b.distance));
  return { nearest: first?.branch, unmet: compared?.unmet ?? null };
}

/** The discriminator has a value that none of the alternatives has. */
function unmetReason(
  { path, values }: NonNullable<Comparison["unmet"]>,
  base: readonly PropertyKey[],
  body: Json,
): Reason {
  const shown = values
    .slice(0, 12)
    .map((value) => JSON.stringify(value))
    .join("|");
  return reason(
    { code: "invalid_value", path: [], message: `Invalid option: expected one of ${shown}`, values },
    [...base, ...path],
    body,
  );
}

function reason(issue: AnyIssue, path: readonly PropertyKey[], body: Json): Reason {
  return {
    pointer: shortPointer(path),
    code: issue.code,
    message: shortText(issue.message, 300),
    expected: shorten(issue.code === "invalid_key" ? describeKey(issue) : describeExpected(issue)),
    actual: describeActual(issue, path, body),
  };
}

function shorten(expected: string | null): string | null {
  return expected === null ? null : shortText(expected, 200);
}

function describeKey(issue: AnyIssue): string | null {
  const [inner] = Array.isArray(issue["issues"]) ? (issue["issues"] as AnyIssue[]) : [];
  const expected = inner ? describeExpected(inner) : null;
  return expected === null ? null : `a key that is ${expected}`;
}

function describeActual(issue: AnyIssue, path: readonly PropertyKey[], body: Json): string | null {
  if (issue.code === "unrecognized_keys") return shortJson((issue["keys"] ?? []) as Json);
  if (issue.code === "invalid_key") return shortJson(String(path.at(-1) ?? ""));
  const value = valueAt(body, path);
  return value === undefined ? null : shortJson(value);
}

/** One alternative of a union and its issues. */
interface Branch {
  issues: readonly AnyIssue[];
  place: Place;
}

/** The alternatives that were tried; those of a union directly inside a union count as the outer one's own. */
function branchesOf(issue: AnyIssue, at: Place, body: Json): Branch[] {
  return ownBranches(issue, at, body).flatMap((branch) => {
    const [inner, ...others] = branch.issues;
    const isOneInnerIssue = inner !== undefined && others.length === 0 && inner.path.length === branch.place.skip;
    const nested = isOneInnerIssue ? branchesOf(inner, branch.place, body) : [];
    return nested.length > 0 ? nested : [branch];
  });
}

/** Zod 4 gives each alternative's issues with paths from the union on, Zod 3 with paths from the root. */
function ownBranches(issue: AnyIssue, at: Place, body: Json): Branch[] {
  if (issue.code !== "invalid_union") return [];
  const isZod4 = Array.isArray(issue["errors"]);
  const lists = isZod4
    ? (issue["errors"] as AnyIssue[][])
    : Array.isArray(issue["unionErrors"])
      ? (issue["unionErrors"] as { issues: AnyIssue[] }[]).map(({ issues }) => issues)
      : [];
  const steps = issue.path.slice(at.skip);
  const options = optionsAt(at, steps, body);
  const path = [...at.path, ...steps];
  return lists.map((issues, index) => ({
    issues,
    place: {
      path,
      skip: isZod4 ? 0 : issue.path.length,
      shape: options.length === lists.length ? (options[index] ?? null) : null,
    },
  }));
}

/** The alternatives of the union at a path; empty where they are not known. */
function optionsAt({ path, shape }: Place, steps: readonly PropertyKey[], body: Json): Shape[] {
  let at = shape;
  for (const [index, step] of steps.entries())
    at = at && shapeBelow(at, step, valueAt(body, [...path, ...steps.slice(0, index)]));
  return at ? unionIn(at) : [];
}

/** A nullable union, or a lazy schema that returns a union, counts as the union itself in Zod's issues. */
function unionIn(shape: Shape): Shape[] {
  if (shape.is === "all") return shape.parts.length === 1 && shape.parts[0] ? unionIn(shape.parts[0]()) : [];
  if (shape.is !== "union") return [];
  const options = shape.options.map((read) => read());
  const [only, ...others] = shape.isNullable
    ? options.filter((option) => option.is === "union" || option.is === "all")
    : [];
  return only && others.length === 0 ? unionIn(only) : options;
}

/** No alternative looked inside: say what each of them would have taken. */
function wholeUnion(issue: AnyIssue, branches: readonly Branch[], path: readonly PropertyKey[], body: Json): Reason {
  const inner = branches.flatMap(({ issues }) => issues.slice(0, 1));
  const values = inner.map((one) =>
    one.code === "invalid_value" ? one["values"] : one.code === "invalid_literal" ? [one["expected"]] : null,
  );
  const expected = values.every((list) => Array.isArray(list))
    ? oneOf([...new Set(values.flat())])
    : [...new Set(inner.map(describeExpected).filter((text) => text !== null))].join(" or ");
  return { ...reason(issue, path, body), expected: shorten(expected === "" ? null : expected) };
}

/**
 * The distance of a body from an alternative, the most significant number first. They are: whether the type differs,
 * how many fixed values differ (which usually identify the alternative), the number of issues, and their depth.
 */
function distanceOf({ issues, place }: Branch): number[] {
  const ofAnotherKind = issues.filter(({ code, path }) => code === "invalid_type" && path.length === place.skip).length;
  const omitted = omittedOf(issues);
  const otherValues = issues.filter(isFixedValue).length + omitted.fixedValues;
  const deepest = issues.slice(0, maxReasons).reduce((most, { path }) => Math.max(most, path.length), 0);
  return [ofAnotherKind, otherValues, issues.length + omitted.issues, -deepest];
}

function countIssues({ issues }: Branch): number {
  return issues.length + omittedOf(issues).issues;
}
