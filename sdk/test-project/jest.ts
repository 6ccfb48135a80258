import { signalboxMatchers } from "./matchers.ts";

const { expect } = globalThis as { expect?: { extend?: (matchers: typeof signalboxMatchers) => void } };
if (typeof expect?.extend !== "function")
  throw new TypeError(
    "signalbox/testing/jest: There is no global `expect`. Import this module in a test of Jest. With `injectGlobals: false`, call `expect.extend(signalboxMatchers)` instead.",
  );

/**
 * Registers the matchers in Jest. Import it in a test file, or name it in Jest's `setupFilesAfterEnv`. The types apply
 * to the `expect` of `@jest/globals` and to the global one of `@types/jest`. Throws a TypeError outside of Jest.
 *
 * @example
 *   import "signalbox/testing/jest";
 */
expect.extend(signalboxMatchers);

interface SignalboxMatchers<Result> {
  /** The delivery started a run of each of these triggers; without a name, of any. */
  toFire(...triggers: string[]): Result;
  /** The trigger did not match. `pointer`: the path of a reason, e.g. `/action`. Without a trigger: none matched. */
  toSkip(trigger?: string, pointer?: string): Result;
  /** The run completed. `output`: with this output. */
  toComplete(output?: unknown): Result;
  /** The run failed permanently, or timed out. `error`: the name of its error, or a part of its message. */
  toFail(error?: string): Result;
}

/** The assertions of Jest, with these matchers. */
export type { Matchers } from "expect";

// The type parameters are those of the declarations in Jest: interfaces with others do not merge.
declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends SignalboxMatchers<R> {}
}

declare global {
  namespace jest {
    interface Matchers<R, T = {}> extends SignalboxMatchers<R> {}
  }
}
