import { vi } from "vitest";

/** Setup of all tests: `vi.waitFor` without a limit of its own waits as long as `expect.poll`, instead of one second. */

const timeout = 180_000;
const { waitFor } = vi;

// Files may share the modules of their worker, and each file runs its setup.
if (waitFor.name !== "waitPatiently")
  vi.waitFor = function waitPatiently(callback, options) {
    return waitFor(callback, typeof options === "number" ? options : { timeout, ...options });
  };
