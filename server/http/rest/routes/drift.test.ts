import { describe, expect, it } from "vitest";
import { z } from "zod";
import { driftReportSchema } from "../../../contract/drift.ts";
import { onlyJson } from "../../../domain/requests/body-format.ts";
import type { AnySchema } from "../../../ports/project.ts";
import { readDrift, updateContracts } from "../../../triggers/contract-drift.ts";
import { deliver, openTestService, type TestService } from "../testing/test-service.ts";

async function deliverAll(service: TestService, bodies: readonly object[]): Promise<void> {
  for (const body of bodies) {
    service.state.now += 60_000;
    await deliver(service, { endpoint: "billing", body: JSON.stringify(body) });
  }
}

const read = async (service: TestService, query = "?endpoint=billing") =>
  driftReportSchema.parse((await service.get(`/api/v1/drift${query}`)).json);
const update = (service: TestService, p: { textsSince?: number; pause?: () => Promise<boolean> } = {}) =>
  updateContracts(
    { store: service.store, clock: { now: () => service.state.now } },
    {
      endpoints: new Map([["billing", onlyJson]]),
      textsSince: p.textsSince ?? null,
      pause: p.pause ?? (async () => true),
    },
  );

const paid = { type: "invoice.paid", amount: 7, state: "open" };
const times = (count: number, body: object) => Array.from({ length: count }, () => body);

describe("GET /api/v1/drift", () => {
  it("names what changed, of which kind and since when, and for which trigger bodies stopped matching", async () => {
    const service = await openTestService();
    await deliverAll(service, times(60, paid));
    const changedAt = new Date(service.state.now + 60_000).toISOString();
    await deliverAll(service, times(40, { ...paid, amount: "7", extra: true }));
    const { data, compared } = await read(service);
    expect(data.map(({ kind, change, trigger, since, text }) => [kind, change, trigger, since, text])).toEqual([
      [
        "invoice.paid",
        "stopped_matching",
        "invoice-paid",
        changedAt,
        "100 % stopped matching invoice-paid, all at /amount: string, expected a number",
      ],
      ["invoice.paid", "new_type", null, changedAt, "/amount: string, before number, in all of 40 deliveries"],
      ["invoice.paid", "new_field", null, changedAt, "/extra is new (boolean), in all of 40 deliveries"],
    ]);
    expect(compared).toEqual([
      {
        endpoint: "billing",
        kinds: 1,
        deliveries: 100,
        lastSeen: new Date(service.state.now).toISOString(),
        isComplete: true,
      },
    ]);
  });

  it("is the same whether upkeep has added the deliveries or not, and however often", async () => {
    const service = await openTestService();
    await deliverAll(service, times(60, paid));
    await update(service);
    await deliverAll(service, times(30, { ...paid, state: "gone" }));
    const { data } = await read(service);
    expect(data.map(({ text }) => text)).toEqual(['/state has the new value "gone", in all of 30 deliveries']);
    service.state.now += 60_000;
    await Promise.all([update(service), update(service), update(service)]);
    await update(service);
    expect(await read(service)).toMatchObject({ data, compared: [{ deliveries: 90 }] });
  });

  it("lists every endpoint by default, and only changes of the period", async () => {
    const service = await openTestService();
    await deliverAll(service, [...times(60, paid), ...times(20, { ...paid, extra: 1 })]);
    expect((await read(service, "")).compared.map(({ endpoint, deliveries }) => [endpoint, deliveries])).toEqual([
      ["billing", 80],
      ["signup", 0],
    ]);
    const later = new Date(service.state.now).toISOString();
    expect((await read(service, `?endpoint=billing&since=${later}`)).data).toEqual([]);
  });

  it("has no redelivery, nothing that was sent from a form, and no old value", async () => {
    const service = await openTestService();
    await deliverAll(service, times(30, paid));
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: JSON.stringify(paid) });
    await service.post(`/api/v1/deliveries/${deliveryId}/redeliver`);
    await deliver(service, { endpoint: "billing", body: "{}", headers: { "signalbox-sent-from": "form" } });
    expect((await read(service)).compared).toMatchObject([{ deliveries: 31 }]);
    service.state.now += 60_000;
    await update(service, { textsSince: service.state.now });
    const { kinds } = await service.store.readContracts("billing");
    expect(kinds.get("invoice.paid")).toContain("/state");
    expect(kinds.get("invoice.paid")).not.toContain('"open"');
  });

  it("does not count a body that the query stopped: it was not evaluated", async () => {
    const service = await openTestService();
    const schema = z.object({ topic: z.literal("refunds") });
    const query = { schema: schema as unknown as AnySchema, lists: [] };
    const triggers = service.state.sources.triggers.map((one) => ({ ...one, query }));
    const byEndpoint = Map.groupBy(triggers, ({ endpoint }) => endpoint);
    service.state.sources = { ...service.state.sources, triggers, byEndpoint };
    const send = async (topic: string, body: object) => {
      service.state.now += 60_000;
      const bytes = Buffer.from(JSON.stringify(body));
      const headers = ["content-type", "application/json", "content-length", String(bytes.length)];
      const target = `/triggers/billing?topic=${topic}`;
      return service.receive({ method: "POST", target, headers, readBody: (take) => void take(bytes) });
    };
    for (const body of times(60, paid)) expect((await send("refunds", body)).status).toBe(202);
    for (const body of times(40, { ...paid, amount: "7" })) expect((await send("returns", body)).status).not.toBe(202);
    const { data } = await read(service);
    expect(data.map(({ text }) => text)).toEqual(["/amount: string, before number, in all of 40 deliveries"]);
    for (const body of times(20, { ...paid, amount: "7" })) await send("refunds", body);
    expect((await read(service)).data.map(({ text }) => text)).toContain(
      "100 % stopped matching invoice-paid, all at /amount: string, expected a number",
    );
  });

  it("says that it is not complete if there was no time to compare all deliveries", async () => {
    const service = await openTestService();
    await deliverAll(service, times(30, paid));
    let elapsed = 0;
    const clock = { now: () => service.state.now, elapsed: () => (elapsed += 400) };
    const { compared } = await readDrift({ store: service.store, project: service.project, clock }, {});
    expect(compared).toMatchObject([
      { endpoint: "billing", deliveries: 9, isComplete: false },
      { endpoint: "signup", deliveries: 0, isComplete: true },
    ]);
  });

  it("keeps what was compared if an update is interrupted", async () => {
    const service = await openTestService();
    await deliverAll(service, times(30, paid));
    await update(service);
    await deliverAll(service, times(30, paid));
    await update(service, { pause: async () => false });
    expect((await service.store.readContracts("billing")).revision).toBe(1);
    expect((await read(service)).compared).toMatchObject([{ deliveries: 60 }]);
  });
});
