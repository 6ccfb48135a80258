import { AssertionError } from "node:assert";
import { inspect, isDeepStrictEqual } from "node:util";
import type { TestDelivery, TestRun, TestVerdict } from "./project.ts";

/** The result of a check, in the form that the matchers of Vitest and Jest have. */
interface Checked {
  pass: boolean;
  message: () => string;
}

/**
 * Matchers for `expect.extend` of Vitest and Jest. `signalbox/testing/vitest` and
 * `signalbox/testing/jest` register them with their types.
 *
 * @example
 *   import { signalboxMatchers } from "signalbox/testing";
 *   import { expect } from "vitest";
 *
 *   expect.extend(signalboxMatchers);
 */
export const signalboxMatchers = { toFire, toSkip, toComplete, toFail };

/** The delivery started a run of each of these triggers; without a name, of any. */
function toFire(delivery: TestDelivery, ...triggers: string[]): Checked {
  requireDelivery(delivery, "toFire");
  const fired = new Set(delivery.runs.map(({ trigger }) => trigger));
  const pass = triggers.length === 0 ? fired.size > 0 : triggers.every((trigger) => fired.has(trigger));
  return check(pass, `fire ${triggers.join(" and ") || "a trigger"}`, describeDelivery(delivery));
}

/**
 * The trigger did not match the delivery. `pointer`: the path of a reason, e.g. `/action`. Without a trigger: none
 * matched, and the response says that it is skipped.
 */
function toSkip(delivery: TestDelivery, trigger?: string, pointer?: string): Checked {
  requireDelivery(delivery, "toSkip");
  const verdicts = delivery.verdicts.filter((verdict) => verdict.trigger === trigger);
  const isSkipped = (verdict: TestVerdict) =>
    verdict.outcome !== "matched" &&
    (pointer === undefined || verdict.reasons.some((reason) => reason.pointer === pointer));
  const pass =
    trigger === undefined ? delivery.outcome === "skipped" : verdicts.length > 0 && verdicts.every(isSkipped);
  const place = pointer === undefined ? "" : ` because of ${pointer}`;
  return check(pass, `skip ${trigger ?? "every trigger"}${place}`, describeDelivery(delivery));
}

/** The run completed. `output`: with this output. */
function toComplete(run: TestRun, ...output: [output?: unknown]): Checked {
  requireRun(run, "toComplete");
  const pass = run.status === "completed" && (output.length === 0 || isDeepStrictEqual(run.output, output[0]));
  const expected = output.length === 0 ? "" : ` with ${toText(output[0])}`;
  return check(pass, `complete${expected}`, describeRun(run));
}

/** The run failed permanently, or timed out. `error`: the name of its error, or a part of its message. */
function toFail(run: TestRun, error?: string): Checked {
  requireRun(run, "toFail");
  const hasFailed = run.status === "failed" || run.status === "timed_out";
  const isSame = error === undefined || run.error?.name === error || run.error?.message.includes(error) === true;
  return check(hasFailed && isSame, `fail${error === undefined ? "" : ` with ${error}`}`, describeRun(run));
}

function requireDelivery(value: unknown, matcher: string): void {
  if ("verdicts" in Object(value)) return;
  throw new TypeError(
    `${matcher} needs a delivery, which \`await app.deliver(…)\` returns, but got ${describeSubject(value)}.`,
  );
}

function requireRun(value: unknown, matcher: string): void {
  if ("steps" in Object(value)) return;
  throw new TypeError(
    `${matcher} needs a run, which \`await app.settle(…)\` returns, but got ${describeSubject(value)}.`,
  );
}

function describeSubject(value: unknown): string {
  const subject = Object(value) as object;
  if (subject instanceof Promise) return "a promise: write `await` before the call";
  if ("steps" in subject) return "a run";
  return "verdicts" in subject ? "a delivery: call `settle` first" : inspect(value, { depth: 0 });
}

function check(pass: boolean, what: string, subject: { name: string; text: string }): Checked {
  return { pass, message: () => `Expected ${subject.name} ${pass ? "not " : ""}to ${what}.\n\n${subject.text}` };
}

function describeDelivery(delivery: TestDelivery): { name: string; text: string } {
  const { endpoint, status, outcome, problem, verdicts } = delivery;
  const lines = verdicts.flatMap(({ trigger, target, outcome, reasons }) => [
    `  ${trigger}: ${outcome}${outcome === "matched" && target === null ? ", starts no run" : ""}`,
    ...reasons.map(({ pointer, message }) => `    ${pointer === "" ? "(the whole body)" : pointer}: ${message}`),
  ]);
  const hint = problem?.code === "invalid_signature" ? ["  Pass { sign: true } to sign the request."] : [];
  const why = problem === null ? [] : [`  ${problem.title}: ${problem.detail}`, ...hint];
  const repeat = outcome === "repeated" ? ["  An earlier delivery had the same event. A repeat starts nothing."] : [];
  return {
    name: `the delivery to ${endpoint}`,
    text: [`It was ${outcome} (${status}).`, ...why, ...repeat, ...lines].join("\n"),
  };
}

function describeRun({ id, status, target, error, output, steps }: TestRun): { name: string; text: string } {
  const ended =
    error === null ? [`  output: ${toText(output)}`] : [`  ${error.stack ?? `${error.name}: ${error.message}`}`];
  const lines = steps.map(({ kind, name, isDone, result }) =>
    [`  ${kind} ${name}:`, isDone ? (kind === "step" ? toText(result) : "done") : "not done"].join(" "),
  );
  return { name: `the run of ${target.slug}`, text: [`${id} is ${status}.`, ...ended, ...lines].join("\n") };
}

const maxText = 200;

function toText(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}

// ---- for node:test, and any other test runner ----

function assertPass(checked: Checked, caller: (...args: never[]) => void): void {
  if (!checked.pass) throw new AssertionError({ message: checked.message(), stackStartFn: caller });
}

/**
 * Throws an AssertionError unless the delivery started a run of each of these triggers; without a name, of any.
 *
 * @example
 *   import { assertFires, testProject } from "signalbox/testing";
 *
 *   const app = await testProject();
 *   assertFires(await app.deliver("signup", { name: "Ada", email: "ada@example.com" }), "new-signup");
 */
export function assertFires(delivery: TestDelivery, ...triggers: string[]): void {
  assertPass(toFire(delivery, ...triggers), assertFires);
}

/**
 * Throws an AssertionError if the trigger matched the delivery. `pointer`: the path of a reason, e.g. `/action`.
 * Without a trigger: if any matched.
 */
export function assertSkips(delivery: TestDelivery, trigger?: string, pointer?: string): void {
  assertPass(toSkip(delivery, trigger, pointer), assertSkips);
}

/** Throws an AssertionError unless the run completed. `output`: with this output. */
export function assertCompletes(run: TestRun, ...output: [output?: unknown]): void {
  assertPass(toComplete(run, ...output), assertCompletes);
}

/**
 * Throws an AssertionError unless the run failed permanently, or timed out. `error`: the name of its error, or a part
 * of its message.
 */
export function assertFails(run: TestRun, error?: string): void {
  assertPass(toFail(run, error), assertFails);
}
