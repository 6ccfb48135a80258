import type * as declared from "../sdk/test-project/index.ts";
import { openTestProject } from "./open-test-project.ts";

export * from "../sdk/test-project/index.ts";

/** See its declaration in the SDK, which is what users see. */
export const testProject: typeof declared.testProject = (options = {}) => openTestProject(options);
