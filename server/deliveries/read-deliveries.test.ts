import { describe, expect, it } from "vitest";
import type { BodyFormat } from "../contract/project/endpoint.ts";
import { deliver, openTestService, paidBody } from "../http/rest/testing/test-service.ts";
import { projectFixture } from "../http/rest/testing/project-fixture.ts";
import { evaluatedBody, filterDeliveries, getDelivery, probableEndpoint } from "./read-deliveries.ts";
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
      verdict: { trigger: "refund", outcomes: ["headers_mismatch", "request_mismatch", "filter_mismatch", "disabled"] },
    });
    expect(filterDeliveries(sources, { trigger: "gone" })).toEqual({
      verdict: {
        trigger: "gone",
        outcomes: ["matched", "headers_mismatch", "request_mismatch", "filter_mismatch", "disabled"],
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

it("only a delivery to an unknown endpoint has a probable one", () => {
  const project = { project: { current: () => sources } };
  const problem = { type: "/errors/unknown_endpoint", title: "", status: 404, code: "unknown_endpoint", detail: "" };
  expect(probableEndpoint(project, { endpoint: "biling", problem })).toBe("billing");
  expect(probableEndpoint(project, { endpoint: "something-else", problem })).toBeNull();
  expect(probableEndpoint(project, { endpoint: "biling", problem: null })).toBeNull();
});

const evaluate = (body: string, type: string, formats: readonly BodyFormat[]) => {
  const triggers = sources.triggers.map((trigger) => ({ ...trigger, body: formats }));
  const project = { ...sources, byEndpoint: Map.groupBy(triggers, ({ endpoint }) => endpoint) };
  return evaluatedBody(
    { project: { current: () => project } },
    {
      id: "dlv_1",
      endpoint: "signup",
      body: Buffer.from(body).toString("base64"),
      headers: { "content-type": type },
    },
  );
};

describe("the body of a delivery as its triggers evaluate it", () => {
  const form = "application/x-www-form-urlencoded; charset=utf-8";
  const json: BodyFormat = { type: "json", bigints: "string" };
  const payload: BodyFormat = { type: "form", field: "payload", bigints: "number" };

  it("is the JSON in the field of a form as the sender wrote it, else all fields, also if no trigger accepts forms", async () => {
    const body = new URLSearchParams([
      ["payload", '{ "a": 1.0 }'],
      ["b", "1"],
      ["b", "2"],
    ]).toString();
    const fields = { format: "form", text: '{"payload":"{ \\"a\\": 1.0 }","b":["1","2"]}' };
    expect(await evaluate(body, form, [json, payload])).toEqual({ format: "form", text: '{ "a": 1.0 }' });
    expect(await evaluate(body, form, [{ ...payload, field: null }])).toEqual(fields);
    expect(await evaluate(body, form, [{ ...payload, field: "other" }])).toEqual(fields);
    expect(await evaluate(body, form, [json])).toEqual(fields);
  });

  it("has the files of a multipart form as references", async () => {
    const body =
      '--b1\r\nContent-Disposition: form-data; name="a"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhi\r\n--b1--\r\n';
    const read = await evaluate(body, "multipart/form-data; boundary=b1", [{ type: "multipart" }]);
    expect(JSON.parse(read?.text ?? "")).toMatchObject({
      a: { filename: "a.txt", size: 2, path: "/api/v1/deliveries/dlv_1/files/0" },
    });
  });

  it("is a string of text, and nothing else than the body for JSON and for what cannot be read", async () => {
    expect(await evaluate('say "hi"', "text/plain", [{ type: "text" }])).toEqual({
      format: "text",
      text: '"say \\"hi\\""',
    });
    for (const [body, type] of [
      ['{ "a": 1 }', "application/json"],
      ['{ "a": 1 }', "text/plain"],
      ["{", "application/json"],
      ["--b1", "multipart/form-data"],
    ] as const)
      expect(await evaluate(body, type, [json])).toBeNull();
  });
});
