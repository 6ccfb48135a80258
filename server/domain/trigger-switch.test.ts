import { expect, it } from "vitest";
import { planSwitch } from "./trigger-switch.ts";

const disabled = { disabledAt: 5, reason: "flood" };
const enabled = { disabledAt: null, reason: null };

it("disables a trigger with its time and reason", () => {
  for (const old of [undefined, enabled])
    expect(planSwitch(old, { at: 9, reason: "flood" })).toEqual({
      wasDisabled: false,
      next: { disabledAt: 9, reason: "flood" },
    });
});

it("a disabled trigger keeps its time, and its reason unless there is a new one", () => {
  expect(planSwitch(disabled, { at: 9, reason: null })).toEqual({ wasDisabled: true, next: disabled });
  expect(planSwitch(disabled, { at: 9, reason: "noise" }).next).toEqual({ disabledAt: 5, reason: "noise" });
});

it("enables a disabled trigger, and leaves an enabled one alone", () => {
  expect(planSwitch(disabled, null)).toEqual({ wasDisabled: true, next: enabled });
  expect(planSwitch(enabled, null)).toEqual({ wasDisabled: false, next: null });
  expect(planSwitch(undefined, null)).toEqual({ wasDisabled: false, next: null });
});
