import { expect } from "vitest";
import { signalboxMatchers } from "./matchers.ts";

/**
 * Registers the matchers in Vitest. Import it in a test file, or set it as one of Vitest's `setupFiles`.
 *
 * @example
 *   import "signalbox/testing/vitest";
 */
expect.extend(signalboxMatchers);

declare global {
  // Vitest's assertions extend those of Chai in every version.
  namespace Chai {
    interface Assertion {
      /** The delivery started a run of each of these triggers; without a name, of any. */
      toFire(...triggers: string[]): Assertion;
      /** The trigger did not match. `pointer`: the path of a reason, e.g. `/action`. Without a trigger: none matched. */
      toSkip(trigger?: string, pointer?: string): Assertion;
      /** The run completed. `output`: with this output. */
      toComplete(output?: unknown): Assertion;
      /** The run failed permanently, or timed out. `error`: the name of its error, or a part of its message. */
      toFail(error?: string): Assertion;
    }
  }
}
