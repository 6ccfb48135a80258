import type { TestProject, TestProjectOptions } from "./project.ts";

export { fixture, type Fixture } from "./fixture.ts";
export { assertCompletes, assertFails, assertFires, assertSkips, signalboxMatchers } from "./matchers.ts";
export type {
  DeliverOptions,
  FailAt,
  RunOptions,
  SettleOptions,
  TestClock,
  TestDelivery,
  TestProject,
  TestProjectOptions,
  TestRun,
  TestRunOptions,
  TestStep,
  TestTarget,
  TestVerdict,
} from "./project.ts";

/**
 * Builds a project as `signalbox build` does, and opens it in this process. It has the receiver, the matching and the
 * engine of the service, a store in memory, and a virtual clock. It listens on no port. The build is in
 * `.signalbox/tests/`, is used again while no file changes, and never becomes the current one. Close it after the test.
 *
 * Modules are loaded once per process, and `vi.mock` does not reach them: replace steps with `mockStep`. Throws an
 * Error with the diagnostics if the build fails.
 *
 * @example
 *   import { testProject } from "signalbox/testing";
 *
 *   const app = await testProject();
 *   const delivery = await app.deliver("signup", { name: "Ada", email: "ada@example.com" });
 *   const run = await app.settle(delivery);
 *   console.log(run.status, run.output);
 *   await app.close();
 */
export declare function testProject(options?: TestProjectOptions): Promise<TestProject>;
