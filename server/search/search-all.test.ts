import { describe, expect, it, test } from "vitest";
import { withAgent } from "../http/rest/testing/agent-fixture.ts";
import { deliver, openTestService, paidBody } from "../http/rest/testing/test-service.ts";
import { rankNames, readId, searchAll } from "./search-all.ts";

const rank = (text: string, names: string[], limit = 10) => rankNames(names, { text, nameOf: (name) => name, limit });

test("the name itself comes first, then what begins so, then parts that begin so, then what has it inside", () => {
  expect(rank("paid", ["unpaid", "invoice-paid", "paid-late", "paid"])).toEqual([
    "paid",
    "paid-late",
    "invoice-paid",
    "unpaid",
  ]);
});

test("every word must be there, in any order", () => {
  expect(rank("late inv", ["invoice-late", "invoice-paid", "late-fee"])).toEqual(["invoice-late"]);
});

test("of equals the shorter comes first, and no more than asked for", () => {
  expect(rank("a", ["a-long-name", "a-b", "a-c"], 2)).toEqual(["a-b", "a-c"]);
});

describe("readId", () => {
  it.each([
    ["run_01K9ZR7M3QABCDEFGHJKMNPQRS", { kind: "run", begin: "run_01K9ZR7M3QABCDEFGHJKMNPQRS" }],
    ["  RUN_01k9zr ", { kind: "run", begin: "run_01K9ZR" }],
    ["dlv_01K9", { kind: "delivery", begin: "dlv_01K9" }],
    ["run_…9zr7m4", { kind: "run", begin: null, end: "9ZR7M4" }],
    ["dlv_...9ZR7M4", { kind: "delivery", begin: null, end: "9ZR7M4" }],
    ["…9ZR7M4", { kind: null, begin: null, end: "9ZR7M4" }],
    ["9zr7m4xx", { kind: null, begin: null, end: "9ZR7M4XX" }],
  ])("reads %j", (text, part) => {
    expect(readId(text)).toMatchObject(part);
  });

  it.each([
    "",
    "abc",
    "billing",
    "run_",
    "two words",
    "run_…abc",
    "invoice-paid",
    "01K9ZR7M3QABCDEFGHJKMNPQRST",
    "x".repeat(200),
    "run_%",
  ])("sees no id in %j", (text) => {
    expect(readId(text)).toBeNull();
  });
});

describe("search", () => {
  it("finds a run and its delivery by the whole id, by its beginning, by the short id that the app shows, and by its end", async () => {
    const service = await openTestService();
    const { deliveryId, runs } = await deliver(service, { endpoint: "billing", body: paidBody });
    await deliver(service, { endpoint: "signup", body: '{ "name": "a", "email": "a@example.com" }' });
    const id = runs[0]?.id ?? "";
    const found = async (text: string) => (await searchAll(service, text)).runs.map((run) => run.id);
    for (const text of [
      id,
      id.toLowerCase(),
      ` ${id} `,
      `run_…${id.slice(-6)}`,
      id.slice(-8),
      id.slice(-8).toLowerCase(),
      `run_${id.slice(-8)}`,
    ])
      expect([text, await found(text)]).toEqual([text, [id]]);
    expect((await searchAll(service, deliveryId)).deliveries.map((delivery) => delivery.id)).toEqual([deliveryId]);
    expect((await searchAll(service, `dlv_…${deliveryId.slice(-6)}`)).runs).toEqual([]);
    expect(await found("run_ZZZZ")).toEqual([]);
  });

  it("finds endpoints, triggers and targets by prefix, by words and by any part", async () => {
    const service = await openTestService();
    const names = async (text: string) => {
      const { endpoints, triggers, targets } = await searchAll(service, text);
      return [
        ...endpoints.map(({ endpoint }) => `/${endpoint}`),
        ...triggers.map(({ slug }) => slug),
        ...targets.map(({ slug }) => `→ ${slug}`),
      ];
    };
    expect(await names("billing")).toEqual(["/billing"]);
    expect(await names("POST /triggers/sign")).toEqual(["/signup"]);
    expect(await names("invoice")).toEqual(["invoice-paid", "→ record-invoice"]);
    expect(await names("Invoice Rec")).toEqual(["→ record-invoice"]);
    expect(await names("signup")).toEqual(["/signup", "new-signup"]);
    expect(await names("come-em")).toEqual(["→ welcome-email"]);
    expect(await names("   ")).toEqual([]);
    expect(await names("nothing like it")).toEqual([]);
  });

  it("finds agents, and tools with the agent that has them", async () => {
    const service = await openTestService();
    service.state.sources = withAgent(service.state.sources);
    const { targets, tools } = await searchAll(service, "tri");
    expect([targets, tools]).toEqual([[{ kind: "agent", slug: "triage" }], []]);
    expect((await searchAll(service, "findCust")).tools).toEqual([{ name: "findCustomer", agent: "triage" }]);
    expect((await searchAll(service, "REFUND")).tools).toEqual([{ name: "refund", agent: "triage" }]);
  });
});
