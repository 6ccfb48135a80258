import { describe, expect, it } from "vitest";
import { readStepOptions } from "./retry-options.ts";

const read = (options: unknown) => readStepOptions(options, 'ctx.step("charge", …)');

describe("readStepOptions", () => {
  it("returns neither retries nor a timeout without options", () => {
    for (const options of [undefined, {}, { retries: undefined, timeout: undefined }])
      expect(read(options)).toEqual({ retries: null, timeoutMs: null });
  });

  it("counts the first try, and has the delays of workflows as defaults", () => {
    expect(read({ retries: 4 }).retries).toEqual({
      attempts: 5,
      backoff: "exponential",
      initialMs: 1000,
      maxMs: 3_600_000,
    });
    expect(read({ retries: 0 }).retries?.attempts).toBe(1);
    expect(read({ retries: 99, backoff: "fixed", initialDelay: "2s", maxDelay: 9000, timeout: "1.5m" })).toEqual({
      retries: { attempts: 100, backoff: "fixed", initialMs: 2000, maxMs: 9000 },
      timeoutMs: 90_000,
    });
  });

  it.each([
    ["no object", 3, "the options are 3"],
    ["a misspelt option", { retry: 3 }, "retry is not an option"],
    ["the retries of a workflow", { retries: { attempts: 3 } }, 'retries is {"attempts":3}'],
    ["a fraction", { retries: 1.5 }, "retries is 1.5"],
    ["too many", { retries: 100 }, "retries is 100"],
    ["a negative number", { retries: -1 }, "retries is -1"],
    ["delays without retries", { backoff: "fixed" }, "backoff needs retries"],
    ["an unknown backoff", { retries: 1, backoff: "linear" }, 'backoff is "linear"'],
    ["no duration", { retries: 1, initialDelay: "soon" }, 'initialDelay is "soon"'],
    [
      "a first delay over the maximum",
      { retries: 1, initialDelay: "2h" },
      "initialDelay is longer than maxDelay (default: 1h)",
    ],
    ["a timeout of nothing", { timeout: 0 }, "timeout is 0"],
    ["a timeout in words", { timeout: "5 minutes" }, 'timeout is "5 minutes"'],
  ])("throws a TypeError that names the call and the fix for %s", (_, options, problem) => {
    expect(() => read(options)).toThrow(TypeError);
    expect(() => read(options)).toThrow(`ctx.step("charge", …): ${problem}. Options are retries (0 to 99)`);
  });
});
