import { createTRPCClient, httpBatchLink } from "@trpc/client";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { exportSchema } from "../../cli/build/schema/export.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import { newId } from "../domain/ids.ts";
import type { AnySchema } from "../ports/project.ts";
import { aRun } from "../store/testing/factories.ts";
import { createMasking } from "./masked-store.ts";
import { createTrpc } from "../trpc/create-trpc.ts";
import type { AppRouter } from "../trpc/router.ts";
import {
  bearer,
  deliver,
  executeRuns,
  makeKey,
  openTestService,
  type TestService,
} from "../http/rest/testing/test-service.ts";

const canary = "Canary-0815-Lovelace";
const email = `${canary.toLowerCase()}@example.com`;
const header = "Canary-0815-Header";

const marked = {
  request: exportSchema(
    z.object({ name: z.string().trim().min(1).meta({ sensitive: true }), email: z.email().meta({ sensitive: true }) }),
  ),
  headers: exportSchema(z.object({ "x-customer": z.string().optional().meta({ sensitive: true }) })),
};

const mark = (manifest: Manifest): Manifest => ({
  ...manifest,
  triggers: manifest.triggers.map((trigger) => (trigger.slug === "new-signup" ? { ...trigger, ...marked } : trigger)),
});

/** The project in which the body and a header of signups are sensitive. */
async function openMarked(mode: "development" | "deployed" = "development") {
  const service = await openTestService({ mode });
  service.state.sources = { ...service.state.sources, manifest: mark(service.state.sources.manifest) };
  return service;
}

const sent = { name: canary, email, note: "visible" };

async function sendCanary(service: TestService, body: object = sent) {
  const headers = { "content-type": "application/json", "x-customer": header, "x-other": "visible" };
  return deliver(service, { endpoint: "signup", body: JSON.stringify(body), headers });
}

/** Ends the queued runs with an error and an output that repeat the payload. */
async function failRuns(service: TestService) {
  const error = { name: "Error", message: `cannot greet ${canary} (${header})`, stack: `Error: ${canary}\n  at x` };
  return executeRuns(service, { to: "failed", error });
}

/**
 * Operations whose results have no bodies, headers, inputs or errors, or only masked ones. `readOpenRuns` has inputs,
 * to check them against a schema: its caller shows only paths and expectations.
 */
const withoutValues = new Set([
  "readSize",
  "readRemovedBefore",
  "findWaits",
  "findWoken",
  "listWaitsToSearch",
  "listDescendants",
  "listHeld",
  "findFeedStart",
  "sumSpend",
  "countRuns",
  "listOldApprovals",
  "listCancelRequested",
  "listHeldRuns",
  "listWorkers",
  "listDueRuns",
  "listOpenRuns",
  "readOpenRuns",
  "readAlertState",
  "takeMessages",
  "listAlerts",
  "listKeys",
  "findKeyByHash",
  "listKeyCiphertexts",
  "listPeople",
  "findSession",
  "listSessions",
  "findRole",
  "findPasswordHash",
  "listInvitations",
  "findInvitation",
  "listAudit",
  "findRows",
  "listPresets",
  "listDisabledTriggers",
  "readContracts",
  "readClockWatch",
  "findOldestOf",
  "findOldest",
  "listUsedContentKeys",
  "watch",
  "watchRuns",
]);

const without = (text: string) => {
  expect(text).not.toMatch(/canary-0815/i);
  return text;
};

describe("sensitive fields", () => {
  it("are not in any answer about a delivery, and the rest is", async () => {
    const service = await openMarked();
    const { deliveryId } = await sendCanary(service);
    const one = await service.get(`/api/v1/deliveries/${deliveryId}`);
    expect(JSON.parse(without(one.text))).toMatchObject({
      isMasked: true,
      bodySha256: null,
      headers: { "x-other": "visible", "x-customer": expect.stringMatching(/^[A-Z][a-z]{5}-\d{4}-[A-Z][a-z]{5}$/) },
      json: { note: "visible", email: expect.stringContaining("@example.com") },
    });
    const { body, json } = z.object({ body: z.string(), json: z.unknown() }).parse(one.json);
    expect(JSON.parse(without(Buffer.from(body, "base64").toString()))).toEqual(json);
    const paths = ["/api/v1/deliveries", "/api/v1/deliveries/export", "/api/v1/drift", "/api/v1/backtest"];
    for (const path of [...paths, `/api/v1/deliveries/${deliveryId}/verdicts`]) without((await service.get(path)).text);
    const [line] = (await service.get("/api/v1/deliveries/export")).text.split("\n");
    const exported = z.object({ body: z.string() }).parse(JSON.parse(line ?? ""));
    expect(JSON.parse(without(Buffer.from(exported.body, "base64").toString()))).toEqual(json);
    without((await service.get(`/api/v1/deliveries/${deliveryId}/files/0`)).text);
  });

  it("of a query are not in the differences of a build, nor in drift", async () => {
    const service = await openMarked();
    const setQuery = (schema: z.ZodType) => {
      const query = { schema: schema as unknown as AnySchema, lists: [] };
      const { manifest, triggers: all } = service.state.sources;
      const triggers = all.map((one) => (one.slug === "new-signup" ? { ...one, query } : one));
      const described = manifest.triggers.map((one) =>
        one.slug === "new-signup" ? { ...one, query: exportSchema(schema) } : one,
      );
      service.state.sources = {
        ...service.state.sources,
        manifest: { ...manifest, triggers: described },
        triggers,
        byEndpoint: Map.groupBy(triggers, ({ endpoint }) => endpoint),
      };
    };
    const sensitive = { sensitive: true };
    setQuery(z.object({ customer: z.string().meta(sensitive), topic: z.string() }));
    const bytes = Buffer.from(JSON.stringify({ name: "Ada", email: "ada@example.com" }));
    const received = await service.receive({
      method: "POST",
      target: `/triggers/signup?customer=${canary}&topic=visible`,
      headers: ["content-type", "application/json", "content-length", String(bytes.length)],
      readBody: (take) => void take(bytes),
    });
    expect(received.status).toBe(202);
    setQuery(z.object({ customer: z.literal("other").meta(sensitive), topic: z.literal("other") }));
    const backtested = await service.get("/api/v1/backtest");
    expect(JSON.parse(without(backtested.text))).toMatchObject({
      lost: 1,
      triggers: [
        {
          changes: [
            {
              outcome: "query_mismatch",
              reasons: [
                { pointer: "/customer", actual: "[masked]" },
                { pointer: "/topic", actual: '"visible"' },
              ],
            },
          ],
        },
      ],
    });
    expect(without((await service.get("/api/v1/drift?endpoint=signup")).text)).toContain('"deliveries":1');
    const [delivery] = (await service.store.listDeliveries({}, { limit: 1, cursor: null })).data;
    expect(without(delivery?.headers["signalbox-query"] ?? "")).toMatch(/^customer=[^&]+&topic=visible$/);
  });

  it("are not in the feed of deliveries", async () => {
    const service = await openMarked();
    const { deliveryId } = await sendCanary(service);
    const after = await service.store.findFeedStart(0);
    const { entries } = await service.store.readFeed({ after, endpoints: null });
    const [fed] = entries.filter(({ delivery }) => delivery.id === deliveryId);
    expect(JSON.parse(without(Buffer.from(fed?.body ?? []).toString()))).toMatchObject({ note: "visible" });
    without(JSON.stringify(fed?.delivery));
    expect(fed?.delivery).toMatchObject({ id: deliveryId, isMasked: true });
  });

  it("are masked in every operation of the store that reads deliveries or runs", async () => {
    const service = await openMarked();
    const { masked, originals } = createMasking(service.store, service.masking.readMasks);
    const same = Object.entries(masked).flatMap(([name, operation]) =>
      operation === Reflect.get(service.store, name) ? [name] : [],
    );
    const reads = same.filter((name) => /^(?:get|list|find|read|load|search|sum|take|watch)/.test(name));
    expect(reads.filter((name) => !withoutValues.has(name))).toEqual([]);
    expect(Object.keys(originals).sort()).toEqual(Object.keys(masked).sort());
  });

  it("are not in the reasons of verdicts and problems", async () => {
    const service = await openMarked();
    const { deliveryId } = await sendCanary(service, { name: { first: canary }, email: canary });
    const one = await service.get(`/api/v1/deliveries/${deliveryId}`);
    const { verdicts } = z
      .object({ verdicts: z.array(z.object({ reasons: z.array(z.record(z.string(), z.unknown())) })) })
      .parse(JSON.parse(without(one.text)));
    expect(verdicts[0]?.reasons).toMatchObject([
      { pointer: "/name", expected: "a string", actual: "[masked]" },
      { pointer: "/email", actual: "[masked]" },
    ]);
    without((await service.get("/api/v1/deliveries")).text);
    without((await service.get(`/api/v1/deliveries/${deliveryId}/verdicts`)).text);
  });

  it("of a body that cannot be read are not shown: neither is the body", async () => {
    const service = await openMarked();
    await service.store.recordDelivery({
      headers: { "content-type": "application/json" },
      id: "dlv_01KGA4B7S0E1X8Z3QK5V9M2T6N",
      endpoint: "signup",
      receivedAt: service.state.now,
      method: "POST",
      body: Buffer.from(`{"name": "${canary}`),
      bodyBytes: 28,
      bodySha256: "00",
      outcome: "rejected",
      responseStatus: 400,
      problem: null,
      verdicts: [],
      unlistedVerdicts: [],
      durationMs: 1,
      keyId: null,
      redeliveryOf: null,
    });
    const unread = await service.get("/api/v1/deliveries/dlv_01KGA4B7S0E1X8Z3QK5V9M2T6N");
    expect(JSON.parse(without(unread.text))).toMatchObject({ isMasked: true, body: null, json: null, bodyBytes: 28 });
  });

  it("are not in any answer about a run, even where its code repeats them", async () => {
    const service = await openMarked();
    const { runs } = await sendCanary(service);
    await failRuns(service);
    const id = runs[0]?.id ?? "";
    const run = await service.get(`/api/v1/runs/${id}`);
    expect(JSON.parse(without(run.text))).toMatchObject({
      isMasked: true,
      payload: { name: expect.any(String), email: expect.stringContaining("@example.com") },
      error: { message: expect.stringContaining("cannot greet ") },
    });
    const all = ["", "/export?format=jsonl", "/export?format=csv", `/${id}/timeline`, `/${id}/steps`, `/${id}/agent`];
    for (const path of all) without((await service.get(`/api/v1/runs${path}`)).text);
    without(JSON.stringify(await service.store.listFailures({ since: 0, sinceOf: new Map() })));
  });

  it("of a run are not in the input and output of its child runs and its parents, whose schemas do not mark them", async () => {
    const service = await openMarked();
    const { runs } = await sendCanary(service);
    const id = runs[0]?.id ?? "";
    const [plain, marked] = ["plain", "marked"].map((slug) => ({ kind: "workflow" as const, slug }));
    const sensitive = exportSchema(z.object({ code: z.string().meta({ sensitive: true }) }));
    const { manifest } = service.state.sources;
    const [workflow] = manifest.workflows;
    if (!plain || !marked || !workflow) throw new Error("The project has no workflow");
    service.state.sources = {
      ...service.state.sources,
      manifest: {
        ...manifest,
        version: "v-children",
        workflows: [...manifest.workflows, { ...workflow, slug: marked.slug, input: sensitive }],
      },
    };
    const child = aRun({
      trigger: null,
      attachmentId: null,
      target: plain,
      payload: null,
      input: { note: `about ${canary}` },
      startedBy: "parent",
      child: { of: id, step: "plain", link: "call", depth: 1 },
    });
    const grandchild = aRun({
      ...child,
      id: newId("run"),
      target: marked,
      input: { code: "Canary-0815-Code" },
      child: { of: child.id, step: "marked", link: "call", depth: 2 },
    });
    await service.originals.createRuns([child, grandchild]);
    await executeRuns(service, { to: "completed", output: { text: `${canary} has the code Canary-0815-Code` } });
    expect(JSON.stringify(await service.originals.getRun(child.id))).toContain(canary);
    for (const run of [child, grandchild])
      expect(JSON.parse(without((await service.get(`/api/v1/runs/${run.id}`)).text))).toMatchObject({
        isMasked: true,
        output: { text: expect.stringContaining(" has the code ") },
      });
  });

  it("of a header are not in the input of a replay, whose transform reads the headers as well", async () => {
    const service = await openMarked();
    const { runs } = await sendCanary(service);
    await failRuns(service);
    const replayed = await service.post(`/api/v1/runs/${runs[0]?.id}/replay`, {});
    const { runId } = z.object({ runId: z.string() }).parse(replayed.json);
    const [claimed] = await service.store.claimRuns({
      slots: ["wrk_1"],
      now: service.state.now,
      leaseMs: 60_000,
      limits: new Map(),
      pool: "shared",
    });
    const input = { to: email, by: `user ${header}` };
    await service.store.writeProgress({
      runId,
      token: claimed?.token ?? "",
      now: service.state.now,
      input,
      entries: [],
    });
    expect(await service.originals.getRun(runId)).toMatchObject({ input });
    expect(JSON.parse(without((await service.get(`/api/v1/runs/${runId}`)).text))).toMatchObject({
      input: { to: expect.stringContaining("@example.com"), by: expect.stringContaining("user ") },
    });
  });

  it("cannot be found by searching for them, while other text can", async () => {
    const service = await openMarked();
    await sendCanary(service);
    const count = async (path: string) =>
      z.object({ data: z.array(z.unknown()) }).parse((await service.get(path)).json).data.length;
    expect(await count(`/api/v1/deliveries?text=${canary}`)).toBe(0);
    expect(await count("/api/v1/deliveries?text=visible")).toBe(1);
    expect(await count(`/api/v1/runs?text=${canary}`)).toBe(0);
    expect((await service.get(`/api/v1/runs/count?text=${canary}`)).json).toMatchObject({ count: 0 });
    expect(await count("/api/v1/runs?text=email")).toBe(1);
  });

  it("have equal fakes for equal values in all deliveries and runs", async () => {
    const service = await openMarked();
    const first = await sendCanary(service);
    const second = await sendCanary(service);
    const jsonOf = async (id: string) =>
      z.object({ json: z.unknown() }).parse((await service.get(`/api/v1/deliveries/${id}`)).json).json;
    expect(await jsonOf(first.deliveryId)).toEqual(await jsonOf(second.deliveryId));
    const run = await service.get(`/api/v1/runs/${second.runs[0]?.id}`);
    expect(await jsonOf(first.deliveryId)).toMatchObject(
      z.object({ payload: z.record(z.string(), z.unknown()) }).parse(run.json).payload,
    );
  });

  it("are kept in the store: a redelivery and a replay use the recorded values", async () => {
    const service = await openMarked();
    const { deliveryId, runs } = await sendCanary(service);
    await failRuns(service);
    const again = await service.post(`/api/v1/deliveries/${deliveryId}/redeliver`, {});
    without(again.text);
    const { id } = z.object({ id: z.string() }).parse(again.json);
    const stored = await service.originals.getDelivery(id);
    expect(Buffer.from(stored?.body ?? "", "base64").toString()).toBe(JSON.stringify(sent));
    const replayed = await service.post(`/api/v1/runs/${runs[0]?.id}/replay`, {});
    const { runId } = z.object({ runId: z.string() }).parse(replayed.json);
    expect(await service.originals.getRun(runId)).toMatchObject({ payload: { name: canary, email } });
  });

  it("that a person leaves masked in an edited payload are replayed with their recorded values", async () => {
    const service = await openMarked();
    const { runs } = await sendCanary(service);
    await failRuns(service);
    const id = runs[0]?.id ?? "";
    const { payload } = z
      .object({ payload: z.record(z.string(), z.json()) })
      .parse((await service.get(`/api/v1/runs/${id}`)).json);
    const edited = { ...payload, name: "Grace" };
    const replayed = await service.post(`/api/v1/runs/${id}/replay`, { payload: edited });
    const { runId } = z.object({ runId: z.string() }).parse(replayed.json);
    expect(await service.originals.getRun(runId)).toMatchObject({ payload: { name: "Grace", email } });
  });

  it("are revealed to operators only, and each time is in the audit log", async () => {
    const service = await openMarked("deployed");
    const { deliveryId, runs } = await sendCanary(service);
    await failRuns(service);
    const reader = bearer((await makeKey(service, { kind: "api", scope: "read" })).secret);
    const operator = bearer((await makeKey(service, { kind: "api", scope: "operate" })).secret);
    const admin = bearer((await makeKey(service, { kind: "api", scope: "admin" })).secret);
    const paths = [`/api/v1/deliveries/${deliveryId}/reveal`, `/api/v1/runs/${runs[0]?.id}/reveal`];
    for (const path of paths) {
      expect((await service.post(path, undefined, reader)).status).toBe(403);
      const revealed = await service.post(path, undefined, operator);
      expect([revealed.status, revealed.text.includes(canary)]).toEqual([200, true]);
      expect(revealed.json).not.toHaveProperty("isMasked");
      expect(
        (await service.post(path.replace(/_\w{26}/, "_01KGA4B7S0E1X8Z3QK5V9M2T6N"), undefined, operator)).status,
      ).toBe(404);
    }
    for (const scope of [reader, operator, admin])
      without((await service.get(`/api/v1/deliveries/${deliveryId}`, scope)).text);
    const audit = await service.get("/api/v1/audit", admin);
    const entries = z
      .object({ data: z.array(z.object({ action: z.string(), subject: z.string().nullable() })) })
      .parse(audit.json).data;
    expect(entries.filter(({ action }) => action.endsWith(".revealed"))).toMatchObject([
      { action: "run.revealed", subject: runs[0]?.id },
      { action: "delivery.revealed", subject: deliveryId },
    ]);
    without(audit.text);
  });

  it("are not revealed if the audit log cannot be written", async () => {
    const service = await openMarked();
    const { deliveryId } = await sendCanary(service);
    service.deps.store.recordAudit = () => Promise.reject(new Error("full"));
    const failed = await service.post(`/api/v1/deliveries/${deliveryId}/reveal`);
    expect(failed.status).toBe(500);
    without(failed.text);
  });

  it("are not in the answers of the pages' API, and revealed by it", async () => {
    const service = await openMarked();
    const { deliveryId, runs } = await sendCanary(service);
    await failRuns(service);
    const trpc = createTrpc({ ...service.deps, name: "my project", news: service.deps.store });
    const api = createTRPCClient<AppRouter>({
      links: [
        httpBatchLink({
          url: "http://localhost:3002/api/trpc",
          fetch: (url, init) => trpc.handle(new Request(String(url), init as RequestInit)),
        }),
      ],
    });
    const id = runs[0]?.id ?? "";
    const target = { kind: "workflow" as const, slug: "welcome-email" };
    const answers = await Promise.all([
      api.deliveries.list.query({}),
      api.deliveries.get.query({ id: deliveryId }),
      api.deliveries.histogram.query({ text: canary }),
      api.runs.list.query({}),
      api.runs.byIds.query({ ids: [id] }),
      api.runs.get.query({ id }),
      api.runs.timeline.query({ id }),
      api.search.query({ text: id.slice(-8) }),
      api.canvas.graph.query(),
      api.canvas.activity.query({ window: "1h", endpoints: ["signup"], targets: [target] }),
      api.targets.recentInputs.query(target),
      api.triggers.drift.query({ endpoint: "signup" }),
      api.triggers.backtest.query({ endpoint: "signup" }),
      api.triggers.infer.query({ endpoint: "signup", delivery: deliveryId }),
    ]);
    without(JSON.stringify(answers));
    const { body } = await api.deliveries.reveal.mutate({ id: deliveryId });
    expect(Buffer.from(body ?? "", "base64").toString()).toBe(JSON.stringify(sent));
    const revealed = await api.runs.reveal.mutate({ id });
    expect(revealed).toMatchObject({
      run: { id, payload: { name: canary } },
      timeline: expect.arrayContaining([expect.objectContaining({ kind: "failed" })]),
      steps: [],
      conversation: null,
    });
    expect(await service.originals.listAudit({ action: "run.revealed" }, { limit: 10, cursor: null })).toMatchObject({
      data: [{ subject: id }],
    });
  });

  it("of an older build that this machine keeps stay masked after a build no longer marks them", async () => {
    const service = await openMarked();
    const { deliveryId } = await sendCanary(service);
    const { manifest } = service.state.sources;
    service.state.builds = [manifest];
    const plain = manifest.triggers.map((trigger) => ({ ...trigger, request: {}, headers: null }));
    service.state.sources = { ...service.state.sources, manifest: { ...manifest, version: "v-next", triggers: plain } };
    without((await service.get(`/api/v1/deliveries/${deliveryId}`)).text);
    service.state.builds = [];
    service.state.sources = { ...service.state.sources, manifest: { ...manifest, version: "v-last", triggers: plain } };
    expect((await service.get(`/api/v1/deliveries/${deliveryId}`)).text).toContain(canary);
  });
});
