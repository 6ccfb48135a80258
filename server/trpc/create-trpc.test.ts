import { createTRPCClient, httpBatchLink } from "@trpc/client";
import { describe, expect, it, vi } from "vitest";
import { bearer, deliver, executeRuns, makeKey, openTestService, paidBody } from "../http/rest/testing/test-service.ts";
import { createTrpc } from "./create-trpc.ts";
import type { AppRouter } from "./router.ts";

async function open(mode: "development" | "deployed" = "development") {
  const service = await openTestService({ mode });
  const trpc = createTrpc({ ...service.deps, name: "my project", news: service.deps.store });
  const client = (headers: Record<string, string> = {}) =>
    createTRPCClient<AppRouter>({
      links: [
        httpBatchLink({
          url: "http://localhost:3002/api/trpc",
          headers,
          fetch: (url, init) => trpc.handle(new Request(String(url), init as RequestInit)),
        }),
      ],
    });
  return { service, trpc, client };
}

describe("the app's queries", () => {
  it("show the project with its triggers and targets, in words", async () => {
    const { client } = await open();
    const { sources, triggers, targets, ...project } = await client().canvas.graph.query();
    expect(project).toEqual({ name: "my project", version: "v-test", mode: "development" });
    expect(sources.map(({ label, triggers }) => [label, triggers])).toEqual([
      ["/triggers/billing", ["trigger:invoice-paid", "trigger:refund"]],
      ["/triggers/signup", ["trigger:new-signup"]],
    ]);
    expect(triggers.map(({ attachmentIds, hasFilter }) => [attachmentIds, hasFilter])).toEqual([
      [["invoice-paid:notify", "invoice-paid:record-invoice"], false],
      [["refund:notify"], false],
      [["new-signup:welcome-email"], true],
    ]);
    expect(triggers[0]?.conditions[0]).toMatchObject({ path: "type", words: "is invoice.paid" });
    expect(targets.map(({ id, target }) => [id, target.file])).toEqual([
      ["workflow:notify", "workflows/notify.ts"],
      ["workflow:record-invoice", "workflows/record-invoice.ts"],
      ["workflow:welcome-email", "workflows/welcome-email.ts"],
    ]);
  });

  it("list and show runs, deliveries and triggers", async () => {
    const { service, client } = await open();
    const { deliveryId, runs } = await deliver(service, { endpoint: "billing", body: paidBody });
    await executeRuns(service);
    const api = client();
    expect((await api.runs.list.query({ limit: 1 })).data).toHaveLength(1);
    expect((await api.runs.list.query({ status: "failed" })).data).toHaveLength(0);
    expect(await api.runs.get.query({ id: runs[0]?.id ?? "" })).toMatchObject({ status: "completed" });
    expect((await api.runs.timeline.query({ id: runs[0]?.id ?? "" })).map(({ kind }) => kind)).toEqual([
      "queued",
      "attempt_started",
      "log",
      "completed",
    ]);
    expect((await api.deliveries.list.query({})).data.map(({ id }) => id)).toEqual([deliveryId]);
    expect(await api.deliveries.get.query({ id: deliveryId })).toMatchObject({ response: { status: 202 } });
    expect(await api.triggers.list.query({ endpoint: "billing" })).toHaveLength(3);
  });

  it("answer failures by the table of error codes, with the problem", async () => {
    const { client } = await open();
    await expect(client().runs.get.query({ id: "run_unknown" })).rejects.toMatchObject({
      data: {
        code: "NOT_FOUND",
        httpStatus: 404,
        problem: { code: "not_found", status: 404, type: "/errors/not_found" },
      },
    });
    await expect(client().runs.list.query({ limit: 1000 })).rejects.toMatchObject({
      data: { httpStatus: 400, problem: { code: "invalid_request" } },
    });
  });

  it("answer defects without their details, which are in the log", async () => {
    const { service, client } = await open();
    service.store.listRuns = () => Promise.reject(new Error("canary of the inside"));
    const error: unknown = await client()
      .runs.list.query({})
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ data: { code: "INTERNAL_SERVER_ERROR", problem: { code: "internal" } } });
    expect(JSON.stringify(error)).not.toContain("canary");
    expect(service.state.log.join()).toContain("procedure failed");
  });
});

describe("the access check", () => {
  it("lets an API token in", async () => {
    const { service, client } = await open("deployed");
    const token = await makeKey(service, { kind: "api" });
    expect(await client(bearer(token.secret)).access.query()).toEqual({ scope: "admin", person: null });
  });

  it("rejects pages of other sites in development", async () => {
    const { client } = await open();
    await expect(
      client({ origin: "https://evil.example", "sec-fetch-site": "cross-site" }).canvas.graph.query(),
    ).rejects.toMatchObject({ data: { httpStatus: 403 } });
  });

  it("lets pages that are drawn in this process read in development only", async () => {
    expect(await (await open()).trpc.caller(new Headers()).access()).toEqual({ scope: "admin", person: null });
    await expect((await open("deployed")).trpc.caller(new Headers()).access()).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
  });

  it("reports missing data to pages that render in this process", async () => {
    await expect((await open()).trpc.caller(new Headers()).runs.get({ id: "run_unknown" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

it("few batches of a person run at once, and the others follow", async () => {
  const { service, trpc } = await open();
  const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
  const due = Promise.withResolvers<void>();
  const { store } = service.deps;
  const getDelivery = vi.spyOn(store, "getDelivery").mockImplementation(async () => {
    await due.promise;
    return null;
  });
  const calls = Array.from({ length: 16 }, () => "deliveries.get").join(",");
  const input = JSON.stringify(Object.fromEntries(Array.from({ length: 16 }, (_, n) => [n, { id: deliveryId }])));
  const url = `http://localhost:3002/api/trpc/${calls}?batch=1&input=${encodeURIComponent(input)}`;
  const answers = Array.from({ length: 20 }, () => trpc.handle(new Request(url)));
  await vi.waitFor(() => expect(getDelivery.mock.calls.length).toBeGreaterThanOrEqual(64));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(getDelivery).toHaveBeenCalledTimes(64);
  due.resolve();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([404]));
  expect(getDelivery).toHaveBeenCalledTimes(320);
});
