import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { StepCall } from "../../contract/project/manifest.ts";
import { findMissingSteps } from "./missing-steps.ts";

const step = (name: string): StepCall => ({ kind: "step", name });
const sleep = (name: string): StepCall => ({ kind: "sleep", name });

it("names the recorded steps that the newer code no longer has", () => {
  const before = [step("charge"), step("mail"), sleep("settle")];
  const recorded = [step("charge"), step("charge#2"), sleep("settle")];
  expect(findMissingSteps(recorded, { before, after: before })).toEqual([]);
  expect(findMissingSteps(recorded, { before, after: [step("pay"), sleep("settle")] })).toEqual([step("charge")]);
  expect(findMissingSteps(recorded, { before, after: [step("charge"), step("settle")] })).toEqual([sleep("settle")]);
});

it("names waits and child runs that the newer code no longer has", () => {
  const before: StepCall[] = [
    { kind: "event", name: "shipped" },
    { kind: "child", name: "charge" },
  ];
  const recorded = [...before, { kind: "child", name: "charge#2" }];
  expect(findMissingSteps(recorded, { before, after: [] })).toEqual(before);
  // A child run became a step.
  expect(findMissingSteps(recorded, { before, after: [step("charge"), step("shipped")] })).toEqual(before);
});

it("ignores steps that were not reached, computed names, and approvals", () => {
  const before = [step("charge"), step("mail")];
  expect(findMissingSteps([step("charge")], { before, after: [step("charge")] })).toEqual([]);
  expect(findMissingSteps([step("item 7")], { before, after: [] })).toEqual([]);
  expect(findMissingSteps([{ kind: "approval", name: "charge" }], { before, after: [] })).toEqual([]);
});

it("finds nothing whenever steps were only added", () => {
  const calls = fc.array(fc.record({ kind: fc.constantFrom("step" as const, "sleep" as const), name: fc.string() }));
  fc.assert(
    fc.property(calls, calls, calls, (recorded, before, added) => {
      expect(findMissingSteps(recorded, { before, after: [...before, ...added] })).toEqual([]);
    }),
  );
});
