import { describe, expect, it } from "vitest";
import type * as errors from "./errors.ts";
import { NonRetryableError, RetryAfterError, StepError } from "./errors.ts";

describe("StepError", () => {
  const error = { name: "HttpError", message: "503", stack: "HttpError: 503\n    at workflows/pay.ts:3:1" };

  it("has the name, the message and the stack of the last try's error", () => {
    const thrown = new StepError({ step: "charge", tries: 3, error });
    expect(thrown).toMatchObject({ ...error, step: "charge", tries: 3, retryable: false });
    expect(new StepError({ step: "charge", tries: 3, error: { ...error, stack: null } }).stack).toBe("HttpError: 503");
  });

  it("is recognised by instanceof across copies of the SDK", async () => {
    const query = "?copy";
    const copy: typeof errors = await import(/* @vite-ignore */ `./errors.ts${query}`);
    expect(copy.StepError).not.toBe(StepError);
    const thrown = new copy.StepError({ step: "charge", tries: 3, error });
    expect(thrown).toBeInstanceOf(StepError);
    for (const other of [new Error("503"), new NonRetryableError("no"), new RetryAfterError("later", 5), null, "text"])
      expect(other instanceof StepError).toBe(false);
  });
});

describe("NonRetryableError and RetryAfterError", () => {
  it("can be extended, with a name and a cause", () => {
    class CardDeclined extends NonRetryableError {
      override readonly name = "CardDeclined";
    }
    const cause = new Error("insufficient funds");
    const declined = new CardDeclined("The card was declined", { cause });
    expect(declined).toMatchObject({ name: "CardDeclined", retryable: false, cause });
    expect(declined).toBeInstanceOf(NonRetryableError);
    expect(new RetryAfterError("later", undefined, { cause })).toMatchObject({
      name: "RetryAfterError",
      retryAfter: null,
      cause,
    });
  });
});
