import { expect, it } from "vitest";
import { openTestService } from "../http/rest/testing/test-service.ts";
import { recentInputs } from "./get-target.ts";
import { startTargetRun } from "./start-run.ts";

const target = { kind: "workflow", slug: "record-invoice" } as const;

it("the inputs of a target's newest runs come newest first, each once, ten at most", async () => {
  const service = await openTestService();
  for (const amount of [1, 2, 2, 1, ...Array.from({ length: 10 }, (_, index) => index + 10)]) {
    service.state.now += 1000;
    await startTargetRun(service, { target, input: { amount }, startedBy: "form" });
  }
  const inputs = (await recentInputs(service, target)).map(({ input }) => input);
  expect(inputs).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10].map((amount) => ({ amount })));
});

it("inputs that are too large together are left out, and small ones still come", async () => {
  const service = await openTestService();
  const sizes = [10, 700_000, 600_000];
  for (const size of sizes) {
    service.state.now += 1000;
    await startTargetRun(service, { target, input: { amount: size, text: "x".repeat(size) }, startedBy: "form" });
  }
  expect((await recentInputs(service, target)).map(({ input }) => input)).toMatchObject([
    { amount: 600_000 },
    { amount: 10 },
  ]);
});

it("there is nothing to start where the project has no such target", async () => {
  const service = await openTestService();
  await expect(
    startTargetRun(service, { target: { kind: "workflow", slug: "record-invoce" }, input: {}, startedBy: "form" }),
  ).rejects.toMatchObject({ code: "not_found", message: expect.stringContaining('Did you mean "record-invoice"?') });
  await expect(
    startTargetRun(service, { target: { kind: "agent", slug: "record-invoice" }, input: {}, startedBy: "form" }),
  ).rejects.toMatchObject({ code: "not_found" });
});
