import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json } from "../../../contract/json.ts";
import { bulkPageSchema } from "../../../contract/run-bulk.ts";
import { runSchema } from "../../../contract/run.ts";
import { onFailurePolicy } from "../../../domain/runs/failure-run.ts";
import { toResume } from "../../../runs/resume-run.ts";
import { startedRuns } from "../schemas.ts";
import { projectFixture } from "../testing/project-fixture.ts";
import {
  type Answer,
  type TestService,
  deliver,
  executeRuns,
  openTestService,
  paidBody,
} from "../testing/test-service.ts";

const code = (answer: Answer) => z.object({ code: z.string() }).parse(answer.json).code;
const getRun = async (service: TestService, id: string) =>
  runSchema.parse((await service.get(`/api/v1/runs/${id}`)).json);
const started = async (service: TestService, answer: Answer) => {
  expect([answer.status, answer.json]).toMatchObject([202, { ok: true }]);
  const { runId } = startedRuns.parse(answer.json);
  expect(answer.headers.get("location")).toBe(`/api/v1/runs/${runId}`);
  return getRun(service, runId);
};
const signedUp = async (service: TestService) =>
  (await deliver(service, { endpoint: "signup", body: '{ "name": "a", "email": "a@example.com" }' })).runs[0]?.id ?? "";

const failed = { to: "failed", error: { name: "Error", message: "no", stack: null } } as const;

describe("POST /api/v1/runs/{id}/cancel", () => {
  it("ends a run that has not begun, at once", async () => {
    const service = await openTestService();
    const id = await signedUp(service);
    expect(runSchema.parse((await service.post(`/api/v1/runs/${id}/cancel`)).json).status).toBe("canceled");
    expect(service.state.canceled).toEqual([]);
  });

  it("notifies the worker of a running run", async () => {
    const service = await openTestService();
    const id = await signedUp(service);
    await service.store.claimRuns({
      slots: ["wrk_1"],
      now: service.state.now,
      leaseMs: 60_000,
      limits: new Map(),
      pool: "shared",
    });
    expect(runSchema.parse((await service.post(`/api/v1/runs/${id}/cancel`)).json).status).toBe("running");
    expect(service.state.canceled).toEqual([id]);
  });

  it("never changes a run that has ended", async () => {
    const service = await openTestService();
    const id = await signedUp(service);
    await executeRuns(service);
    const answer = await service.post(`/api/v1/runs/${id}/cancel`);
    expect([answer.status, code(answer)]).toEqual([409, "run_ended"]);
    expect((await getRun(service, id)).status).toBe("completed");
  });
});

const notResumable = (detail: string) => [409, { code: "not_resumable", detail: expect.stringContaining(detail) }];

describe("POST /api/v1/runs/{id}/resume", () => {
  it("queues a failed run again, and records who did it", async () => {
    const service = await openTestService();
    const id = await signedUp(service);
    await executeRuns(service, failed);
    const answer = await service.post(`/api/v1/runs/${id}/resume`);
    expect([answer.status, runSchema.parse(answer.json)]).toMatchObject([
      200,
      { id, status: "queued", attempt: 1, maxAttempts: 4, error: null, finishedAt: null },
    ]);
    expect(service.state.queued).toBe(1);
    const { data } = await service.store.listAudit({}, { limit: 10, cursor: null });
    expect(data.map(({ action, subject }) => [action, subject])).toEqual([["run.resumed", id]]);
  });

  it("gives a run of onFailure its own attempts again, not those of its workflow", async () => {
    const service = await openTestService();
    const id = await signedUp(service);
    await executeRuns(service, failed);
    const original = await getRun(service, id);
    const sources = service.state.sources;
    const old = { ...original, id: "run_of_on_failure", failureOf: id };
    expect([toResume(original, sources).attempts, toResume(old, sources).attempts]).toEqual([
      original.maxAttempts,
      onFailurePolicy.attempts,
    ]);
    expect(onFailurePolicy.attempts).not.toBe(original.maxAttempts);
  });

  it("says why a run cannot be resumed", async () => {
    const service = await openTestService();
    const id = await signedUp(service);
    const resume = async () => {
      const { status, json } = await service.post(`/api/v1/runs/${id}/resume`);
      return [status, z.object({ code: z.string(), detail: z.string() }).parse(json)];
    };
    expect(await resume()).toEqual(notResumable("The run is queued. It continues by itself."));
    await executeRuns(service, failed);
    const sources = service.state.sources;
    service.state.sources = projectFixture({ triggers: ["new-signup"] });
    expect(await resume()).toEqual(notResumable("new-signup:welcome-email is not in the deployed project"));
    service.state.sources = sources;
    const replay = await started(service, await service.post(`/api/v1/runs/${id}/replay`));
    expect(await resume()).toEqual(notResumable(`The run was replayed as ${replay.id}.`));
    expect((await service.post("/api/v1/runs/run_unknown/resume")).status).toBe(404);
    expect((await getRun(service, id)).replayedAs).toBe(replay.id);
  });

  it("does not resume a canceled or a completed run", async () => {
    const service = await openTestService();
    const canceled = await signedUp(service);
    await service.post(`/api/v1/runs/${canceled}/cancel`);
    const completed = await signedUp(service);
    await executeRuns(service);
    for (const id of [canceled, completed]) {
      const answer = await service.post(`/api/v1/runs/${id}/resume`);
      expect([answer.status, code(answer)]).toEqual([409, "not_resumable"]);
    }
  });
});

describe("POST /api/v1/runs/bulk", () => {
  it("acts page by page, and each call has an audit entry unless it is a dry run", async () => {
    const service = await openTestService();
    const ids = [await signedUp(service), await signedUp(service)];
    await executeRuns(service, failed);
    service.state.now += 1000;
    const filter = { trigger: "new-signup", unresolved: true };
    const page = async (body: Record<string, Json>) =>
      bulkPageSchema.parse((await service.post("/api/v1/runs/bulk", { filter, limit: 1, ...body })).json);
    expect((await page({ action: "replay", dryRun: true })).runs).toEqual([{ id: ids[1], replayedAs: null }]);
    const first = await page({ action: "replay" });
    const second = await page({ action: "resume", until: first.until, cursor: first.nextCursor });
    expect([first.runs[0]?.id, second.runs]).toEqual([ids[1], [{ id: ids[0], replayedAs: null }]]);
    const { data } = await service.store.listAudit({}, { limit: 10, cursor: null });
    expect(data.map(({ action, detail }) => [action, detail])).toEqual([
      ["run.resumed", { done: 1, runs: [ids[0]] }],
      ["run.replayed", { done: 1, runs: [ids[1]] }],
    ]);
  });

  it("rejects an unknown filter and an unknown action", async () => {
    const service = await openTestService();
    const bodies: Json[] = [
      { action: "resume", filter: { tirgger: "x" } },
      { action: "remove", filter: {} },
      { action: "resume" },
    ];
    for (const body of bodies) expect((await service.post("/api/v1/runs/bulk", body)).status).toBe(422);
  });

  it("counts the runs of a filter", async () => {
    const service = await openTestService();
    await signedUp(service);
    await executeRuns(service, failed);
    expect((await service.get("/api/v1/runs/count?unresolved=true")).json).toEqual({ count: 1, isCapped: false });
    expect((await service.get("/api/v1/runs/count?status=completed")).json).toEqual({ count: 0, isCapped: false });
    expect((await service.get("/api/v1/runs/count?unresolved=no")).status).toBe(400);
  });
});

describe("POST /api/v1/runs/{id}/replay", () => {
  it("starts a new run with the same payload, which names the old one", async () => {
    const service = await openTestService();
    const id = await signedUp(service);
    await executeRuns(service);
    const replayed = await started(service, await service.post(`/api/v1/runs/${id}/replay`));
    const old = await getRun(service, id);
    expect(replayed).toMatchObject({
      status: "queued",
      replayOf: id,
      startedBy: "replay",
      payload: old.payload,
      trigger: "new-signup",
      attachmentId: "new-signup:welcome-email",
    });
    expect(replayed.id).not.toBe(id);
    expect(old.status).toBe("completed");
    expect(service.state.queued).toBe(1);
  });

  it("can be replayed again", async () => {
    const service = await openTestService();
    const first = await started(service, await service.post(`/api/v1/runs/${await signedUp(service)}/replay`));
    const second = await started(service, await service.post(`/api/v1/runs/${first.id}/replay`));
    expect(second).toMatchObject({ replayOf: first.id, payload: first.payload });
  });

  it("starts with the same input if the run had no payload", async () => {
    const service = await openTestService();
    const first = await started(service, await service.post("/api/v1/workflows/record-invoice/runs", { amount: 3 }));
    const replayed = await started(service, await service.post(`/api/v1/runs/${first.id}/replay`));
    expect(replayed).toMatchObject({ replayOf: first.id, payload: null, input: { amount: 3 }, trigger: null });
  });

  it("takes an edited payload, and parses it as a body", async () => {
    const service = await openTestService();
    const id = await signedUp(service);
    const payload = { name: "  Bea ", email: "bea@elsewhere.example", extra: 1 };
    const replayed = await started(service, await service.post(`/api/v1/runs/${id}/replay`, { payload }));
    expect(replayed.payload).toEqual({ name: "Bea", email: "bea@elsewhere.example" });
    const rejected = await service.post(`/api/v1/runs/${id}/replay`, { payload: { name: "" } });
    expect([rejected.status, code(rejected)]).toEqual([422, "request_mismatch"]);
  });

  it("takes an edited input, and keeps the trigger's name", async () => {
    const service = await openTestService();
    const id = await signedUp(service);
    const input = { to: "b@example.com", displayName: "b" };
    const replayed = await started(service, await service.post(`/api/v1/runs/${id}/replay`, { input }));
    expect(replayed).toMatchObject({ payload: null, input, trigger: "new-signup", replayOf: id });
    const rejected = await service.post(`/api/v1/runs/${id}/replay`, { input: { to: "b" } });
    expect([rejected.status, code(rejected)]).toEqual([422, "invalid_input"]);
    expect((await started(service, await service.post(`/api/v1/runs/${replayed.id}/replay`))).input).toEqual(input);
  });

  it.each<[string, Json]>([
    ["both", { payload: {}, input: {} }],
    ["neither, but something else", { body: {} }],
    ["no object", []],
  ])("rejects %s", async (_, body) => {
    const service = await openTestService();
    const answer = await service.post(`/api/v1/runs/${await signedUp(service)}/replay`, body);
    expect([answer.status, code(answer)]).toEqual([422, "invalid_input"]);
    expect(service.state.queued).toBe(0);
  });

  it("reports that the trigger or the workflow no longer exists", async () => {
    const service = await openTestService();
    const triggered = await signedUp(service);
    const direct = await started(service, await service.post("/api/v1/workflows/record-invoice/runs", { amount: 3 }));
    service.state.sources = projectFixture({ triggers: ["new-signup"], workflows: ["record-invoice"] });
    for (const id of [triggered, direct.id]) {
      const answer = await service.post(`/api/v1/runs/${id}/replay`);
      expect([answer.status, code(answer)]).toEqual([409, "not_replayable"]);
    }
    const payload = await service.post(`/api/v1/runs/${direct.id}/replay`, { payload: {} });
    expect([payload.status, code(payload)]).toEqual([409, "not_replayable"]);
  });

  it("does not change the delivery of the old run", async () => {
    const service = await openTestService();
    const { deliveryId, runs } = await deliver(service, { endpoint: "billing", body: paidBody });
    await started(service, await service.post(`/api/v1/runs/${runs[0]?.id}/replay`));
    const ofDelivery = await service.get(`/api/v1/runs?delivery=${deliveryId}`);
    expect(z.object({ data: z.array(z.unknown()) }).parse(ofDelivery.json).data).toHaveLength(2);
  });
});

describe("POST /api/v1/workflows/{slug}/runs", () => {
  it("starts the workflow with the input, and records the actor", async () => {
    const service = await openTestService();
    const input = { to: "a@example.com", displayName: "a" };
    for (const [client, startedBy] of [
      [null, "api"],
      ["cli", "cli"],
      ["form", "form"],
    ] as const) {
      const headers: Record<string, string> = client ? { "signalbox-client": client } : {};
      const run = await started(service, await service.post("/api/v1/workflows/welcome-email/runs", input, headers));
      expect(run).toMatchObject({
        startedBy,
        input,
        payload: null,
        trigger: null,
        attachmentId: null,
        deliveryId: null,
        maxAttempts: 3,
        version: "v-test",
      });
    }
    expect(service.state.queued).toBe(3);
  });

  it("starts runs with a key, which their replays keep, and by which they are listed", async () => {
    const service = await openTestService();
    const start = async (path: string, body: Json) =>
      started(service, await service.post(`/api/v1/${path}/runs?key=${encodeURIComponent("customer 7/ä")}`, body));
    const runs = [
      await start("workflows/welcome-email", { to: "a@example.com", displayName: "a" }),
      await start("workflows/record-invoice", { amount: 3 }),
      await start("triggers/new-signup", { name: "Ada", email: "ada@example.com" }),
    ];
    const replay = await started(service, await service.post(`/api/v1/runs/${runs[0]?.id}/replay`));
    expect([...runs, replay].map(({ key }) => key)).toEqual(Array(4).fill("customer 7/ä"));
    const other = await service.post("/api/v1/workflows/record-invoice/runs", { amount: 3 });
    expect((await started(service, other)).key).toBeNull();
    const listed = await service.get(`/api/v1/runs?key=${encodeURIComponent("customer 7/ä")}`);
    const { data } = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(listed.json);
    expect(data.map(({ id }) => id).toSorted()).toEqual([...runs, replay].map(({ id }) => id).toSorted());
    for (const key of ["", "x".repeat(201)])
      expect((await service.post(`/api/v1/workflows/record-invoice/runs?key=${key}`, { amount: 3 })).status).toBe(400);
  });

  it("starts one run for an idempotency key, and returns it again", async () => {
    const service = await openTestService();
    const start = (path: string, body: Json, key = "order-7") =>
      service.post(`/api/v1/${path}/runs`, body, { "idempotency-key": key });
    const input = { to: "a@example.com", displayName: "a" };
    const first = await start("workflows/welcome-email", input);
    const again = await start("workflows/welcome-email", input);
    expect([again.status, again.json, again.headers.get("location")]).toEqual([
      202,
      first.json,
      first.headers.get("location"),
    ]);
    expect([first, again].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
    expect(service.state.queued).toBe(1);
    const conflict = await start("workflows/welcome-email", { ...input, displayName: "b" });
    expect([conflict.status, code(conflict)]).toEqual([422, "idempotency_conflict"]);
    expect((await start("workflows/record-invoice", { amount: 3 })).status).toBe(202);
    expect((await start("workflows/welcome-email", input, "order-8")).json).not.toEqual(first.json);
    expect((await start("workflows/welcome-email", input, "")).status).toBe(400);
    expect(service.state.queued).toBe(3);
  });

  it("lists each path at which the input is invalid, and starts nothing", async () => {
    const service = await openTestService();
    const answer = await service.post("/api/v1/workflows/welcome-email/runs", { to: "nobody" });
    expect(answer.status).toBe(422);
    const { errors } = z.object({ errors: z.array(z.object({ pointer: z.string() })) }).parse(answer.json);
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(["/displayName", "/to"]);
    expect(service.state.queued).toBe(0);
  });

  it("accepts any kind of JSON, if the workflow does", async () => {
    const service = await openTestService();
    const answer = await service.send("POST", "/api/v1/workflows/notify/runs", {
      headers: { "content-type": "application/vnd.x+json" },
      body: "\ufeff{}",
    });
    expect((await started(service, answer)).input).toEqual({});
  });
});
