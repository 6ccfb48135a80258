import { expect } from "vitest";
import { scriptedModel } from "signalbox/agent";
import { fixture, testProject, type TestDelivery, type TestProject, type TestRun } from "signalbox/testing";
import "signalbox/testing/vitest";
import type { testProject as implemented } from "../../testing/index.ts";
import type { Delivery, Verdict } from "../../server/contract/delivery.ts";
import type { RunStatus } from "../../server/contract/run.ts";
import { type Equal, expectTrue } from "../testing/exact-type.ts";

// What users see is what the implementation has.
expectTrue<Equal<typeof testProject, typeof implemented>>();
expectTrue<Equal<TestRun["status"], RunStatus>>();
expectTrue<Equal<TestDelivery["outcome"], Delivery["outcome"]>>();
expectTrue<Equal<TestDelivery["verdicts"][number]["outcome"], Verdict["outcome"]>>();

declare const app: TestProject;
const delivery = await app.deliver("github", fixture("issues.opened"), { sign: true });
expectTrue<Equal<typeof delivery, TestDelivery>>();
const run = await app.settle(delivery, { trigger: "new-issue", replayEveryStep: true });
expectTrue<Equal<typeof run, TestRun>>();
const all = await app.settle();
expectTrue<Equal<typeof all, TestRun[]>>();
await app.testRun("welcome-email", {}, { stored: { send: 1 }, failAt: { step: "send", times: Infinity } });
await testProject({ models: { triage: scriptedModel({ answers: ["Hello"] }) }, now: new Date(), timeout: "30s" });

// @ts-expect-error `stored` is for runs that begin: those of a delivery exist already
await app.settle(delivery, { stored: {} });
// @ts-expect-error not a duration
await app.clock.advance("2 hours");
// @ts-expect-error all open runs are settled without options
await app.settle(undefined, { replayEveryStep: true });

// The matchers can be chained and negated.
expect(delivery).toFire("new-issue", "ci-failed").toSkip("new-signup", "/name");
expect(delivery).not.toFire();
expect(run).toComplete({ severity: "low" });
expect(run).not.toFail();
// @ts-expect-error the name of a trigger is a string
expect(delivery).toFire(1);
