import { expect, it } from "vitest";
import { createTrpc } from "../../trpc/create-trpc.ts";
import { deliver, openTestService, paidBody } from "./testing/test-service.ts";

const since = "2026-11-21T09:00:00Z";
const inputOf = (input: object) => `?input=${encodeURIComponent(JSON.stringify(input))}`;

/** The requests whose work stops when their client disconnects. */
const paths = [
  "/api/v1/drift",
  `/api/v1/backtest?endpoint=billing&since=${since}`,
  `/api/v1/inferred-trigger?endpoint=billing&since=${since}`,
  `/api/v1/deliveries/export?since=${since}`,
  "/api/v1/deliveries?text=invoice",
  "/api/v1/runs?text=invoice",
  `/api/trpc/triggers.drift${inputOf({ endpoint: "billing" })}`,
  `/api/trpc/triggers.backtest${inputOf({ endpoint: "billing", since })}`,
  `/api/trpc/triggers.infer${inputOf({ endpoint: "billing", delivery: "DELIVERY" })}`,
  `/api/trpc/deliveries.list${inputOf({ text: "invoice" })}`,
  `/api/trpc/runs.list${inputOf({ text: "invoice" })}`,
];

it.each(paths)("a client that disconnects from GET %s is not logged as a defect", async (template) => {
  const service = await openTestService();
  const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
  const path = template.replace("DELIVERY", deliveryId);
  const { fetch } = path.startsWith("/api/trpc/")
    ? { fetch: createTrpc({ ...service.deps, name: "my project", news: service.deps.store }).handle }
    : { fetch: (request: Request) => service.app.fetch(request) };
  // It is a valid request.
  expect((await fetch(new Request(`http://localhost${path}`))).status).toBe(200);
  service.state.log.length = 0;
  const client = new AbortController();
  // The reason that the HTTP adapter gives.
  client.abort("Error: aborted");
  const response = await fetch(new Request(`http://localhost${path}`, { signal: client.signal }));
  await response.text();
  expect(service.state.log).toEqual([]);
});
