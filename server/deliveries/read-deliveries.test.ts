import { describe, expect, it } from "vitest";
import { deliver, openTestService, paidBody } from "../http/rest/testing/test-service.ts";
import { projectFixture } from "../http/rest/testing/project-fixture.ts";
import { filterDeliveries, getDelivery } from "./read-deliveries.ts";
import { redeliver } from "./redeliver.ts";

const sources = projectFixture();

describe("the filter of deliveries", () => {
  it("looks for what a trigger decided on that trigger's endpoint", () => {
    expect(filterDeliveries(sources, { trigger: "refund", verdict: "matched" })).toEqual({
      endpoint: "billing",
      verdict: { trigger: "refund", outcomes: ["matched"] },
    });
    expect(
      filterDeliveries(sources, { trigger: "refund", verdict: "stopped", endpoint: "old", text: undefined }),
    ).toEqual({
      endpoint: "old",
      verdict: {
        trigger: "refund",
        outcomes: ["headers_mismatch", "query_mismatch", "request_mismatch", "filter_mismatch", "disabled"],
      },
    });
    expect(filterDeliveries(sources, { trigger: "gone" })).toEqual({
      verdict: {
        trigger: "gone",
        outcomes: ["matched", "headers_mismatch", "query_mismatch", "request_mismatch", "filter_mismatch", "disabled"],
      },
    });
  });

  it("rejects a verdict without a trigger", () => {
    expect(() => filterDeliveries(sources, { verdict: "matched" })).toThrow('name the "trigger" too');
  });

  it("finds what passed a trigger, and what it stopped", async () => {
    const service = await openTestService();
    const paid = await deliver(service, { endpoint: "billing", body: paidBody });
    const refund = await deliver(service, { endpoint: "billing", body: '{ "type": "refund" }' });
    const find = async (verdict: "matched" | "stopped") => {
      const { data } = await service.store.listDeliveries(filterDeliveries(sources, { trigger: "refund", verdict }), {
        limit: 10,
        cursor: null,
      });
      return data.map(({ id }) => id);
    };
    expect(await find("matched")).toEqual([refund.deliveryId]);
    expect(await find("stopped")).toEqual([paid.deliveryId]);
  });
});

it("a redelivery names the delivery that it repeats, and goes to one trigger where that is asked for", async () => {
  const service = await openTestService();
  const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
  const again = await getDelivery(
    service,
    await redeliver(service, { id: deliveryId, trigger: "invoice-paid", startedBy: "form" }),
  );
  expect(again).toMatchObject({ redeliveryOf: deliveryId, outcome: "accepted", endpoint: "billing" });
  expect(again.verdicts.map(({ attachmentId }) => attachmentId)).toEqual([
    "invoice-paid:notify",
    "invoice-paid:record-invoice",
  ]);
});
