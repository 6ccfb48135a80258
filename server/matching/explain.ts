import type { Json } from "../contract/json.ts";
import type { ProblemError } from "../contract/problem.ts";
import type { Reason } from "../contract/verdict.ts";
import { toPointer, valueAt } from "../domain/json-pointer.ts";
import { shortJson, shortText } from "../domain/short-json.ts";
import type { AnyIssue } from "../ports/project.ts";
import { describeExpected, oneOf } from "./expected.ts";
import { isFixedValue, omittedOf } from "./omitted.ts";

/** A body with a hundred thousand bad items is not explained a hundred thousand times. */
export const mostReasons = 20;

/** Why a body did not parse, by Zod's issues (of Zod 4 or Zod 3): where, what was expected, and what stands there. */
export function explainIssues(issues: readonly AnyIssue[], body: Json): Reason[] {
  const reasons: Reason[] = [];
  for (const issue of issues) {
    reasons.push(...explainIssue(issue, [], body));
    if (reasons.length >= mostReasons) break;
  }
  return reasons.slice(0, mostReasons);
}

/** The same as a sender or caller gets it, in a problem. Every entrance words the same mistake by this. */
export function toProblemErrors(reasons: readonly Reason[]): ProblemError[] {
  return reasons.map(({ pointer, code, message }) => ({ pointer, code, message }));
}

/** `base` is where the issue's path starts: the place of the union that it belongs to. */
function explainIssue(issue: AnyIssue, base: readonly PropertyKey[], body: Json): Reason[] {
  const path = [...base, ...issue.path];
  const branches = branchesOf(issue, base);
  if (branches.length === 0) return [reason(issue, path, body)];
  if (branches.every((branch) => branch.issues.every((inner) => inner.path.length === branch.depth))) return [wholeUnion(issue, branches, path, body)];
  const [best] = branches.toSorted((a, b) => compareLists(distanceOf(a), distanceOf(b)));
  return best ? best.issues.slice(0, mostReasons).flatMap((inner) => explainIssue(inner, best.base, body)) : [];
}

function reason(issue: AnyIssue, path: readonly PropertyKey[], body: Json): Reason {
  return {
    pointer: shortText(toPointer(path), 1000),
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

/** One alternative of a union and what it says of the body. */
interface Branch {
  issues: readonly AnyIssue[];
  base: readonly PropertyKey[];
  /** Length of the path of an issue that is about the union's own place. */
  depth: number;
}

/** The alternatives that were tried; those of a union directly inside a union count as the outer one's own. */
function branchesOf(issue: AnyIssue, base: readonly PropertyKey[]): Branch[] {
  return ownBranches(issue, base).flatMap((branch) => {
    const [inner, ...others] = branch.issues;
    const isOneInnerIssue = inner !== undefined && others.length === 0 && inner.path.length === branch.depth;
    const nested = isOneInnerIssue ? branchesOf(inner, branch.base) : [];
    return nested.length > 0 ? nested : [branch];
  });
}

/** Zod 4 gives each alternative's issues with paths from the union on, Zod 3 with paths from the root. */
function ownBranches(issue: AnyIssue, base: readonly PropertyKey[]): Branch[] {
  if (issue.code !== "invalid_union") return [];
  if (Array.isArray(issue["errors"])) {
    return (issue["errors"] as AnyIssue[][]).map((issues) => ({ issues, base: [...base, ...issue.path], depth: 0 }));
  }
  const errors = Array.isArray(issue["unionErrors"]) ? (issue["unionErrors"] as { issues: AnyIssue[] }[]) : [];
  return errors.map(({ issues }) => ({ issues, base, depth: issue.path.length }));
}

/** No alternative looked inside: say what each of them would have taken. */
function wholeUnion(issue: AnyIssue, branches: readonly Branch[], path: readonly PropertyKey[], body: Json): Reason {
  const inner = branches.flatMap(({ issues }) => issues.slice(0, 1));
  const values = inner.map((one) => (one.code === "invalid_value" ? one["values"] : one.code === "invalid_literal" ? [one["expected"]] : null));
  const expected = values.every((list) => Array.isArray(list))
    ? oneOf([...new Set(values.flat())])
    : [...new Set(inner.map(describeExpected).filter((text) => text !== null))].join(" or ");
  return { ...reason(issue, path, body), expected: shorten(expected === "" ? null : expected) };
}

/**
 * How far a body is from an alternative, most telling first: is it of another kind altogether, how many fixed values differ (they
 * usually say which alternative is meant), how much is wrong, and how near to the surface.
 */
function distanceOf({ issues, depth }: Branch): number[] {
  const ofAnotherKind = issues.filter(({ code, path }) => code === "invalid_type" && path.length === depth).length;
  const omitted = omittedOf(issues);
  const otherValues = issues.filter(isFixedValue).length + omitted.fixedValues;
  const deepest = issues.slice(0, mostReasons).reduce((most, { path }) => Math.max(most, path.length), 0);
  return [ofAnotherKind, otherValues, issues.length + omitted.issues, -deepest];
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  const difference = a.map((value, index) => value - (b[index] ?? 0)).find((value) => value !== 0);
  return difference ?? 0;
}
