import { expect } from "expect";
import type { TestDelivery, TestRun } from "signalbox/testing";
import "signalbox/testing/jest";

declare const delivery: TestDelivery;
declare const run: TestRun;

// The `expect` of `@jest/globals` has the same matchers.
expect(delivery).toFire("new-issue", "ci-failed");
expect(delivery).not.toSkip("new-issue", "/action");
expect(run).toComplete({ severity: "low" });
expect(run).not.toFail("TypeError");
// @ts-expect-error the name of a trigger is a string
expect(delivery).toFire(1);
