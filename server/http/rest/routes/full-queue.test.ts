import { describe, expect, it } from "vitest";
import { planRun } from "../../../matching/match-triggers.ts";
import { actOnRuns } from "../../../runs/act-on-runs.ts";
import { withAgent } from "../testing/agent-fixture.ts";
import { deliver, openTestService, type TestService } from "../testing/test-service.ts";

const signup = '{ "name": "a", "email": "a@example.com" }';

/** Every workflow of the project with this limit. */
function bound({ state }: TestService, maxQueued: number): void {
  const { manifest } = state.sources;
  state.sources = {
    ...state.sources,
    manifest: { ...manifest, workflows: manifest.workflows.map((workflow) => ({ ...workflow, maxQueued })) },
  };
}

describe("while the queue of a workflow is full", () => {
  it.each([
    [
      "a workflow with an input",
      () => ({ path: "/api/v1/workflows/welcome-email/runs", body: { to: "a@example.com", displayName: "a" } }),
    ],
    ["a trigger with a body", () => ({ path: "/api/v1/triggers/new-signup/runs", body: JSON.parse(signup) })],
    ["a replay", ({ runId }: { runId: string }) => ({ path: `/api/v1/runs/${runId}/replay`, body: {} })],
    [
      "a redelivery",
      ({ deliveryId }: { deliveryId: string }) => ({ path: `/api/v1/deliveries/${deliveryId}/redeliver`, body: {} }),
    ],
  ])("%s is answered 503 with the target and the reason, and starts nothing", async (_, requestOf) => {
    const service = await openTestService();
    const first = await deliver(service, { endpoint: "signup", body: signup });
    bound(service, 1);
    const { queued } = service.state;
    const { path, body } = requestOf({ runId: first.runs[0]?.id ?? "", deliveryId: first.deliveryId });
    const answer = await service.post(path, body);
    expect(answer.json).toMatchObject({
      status: 503,
      code: "queue_full",
      detail: expect.stringContaining("workflow welcome-email is full: its maxQueued is 1"),
    });
    expect(answer.headers.get("retry-after")).toBe("5");
    expect([(await service.store.countOpenRuns()).queued, service.state.queued]).toEqual([1, queued]);
    bound(service, 2);
    expect((await service.post(path, body)).status).toBe(202);
  });

  it("agents have their own limit, for the API and for a webhook's payload", async () => {
    const service = await openTestService();
    service.state.sources = withAgent(service.state.sources, { maxQueued: 1 });
    const ask = () => service.post("/api/v1/agents/triage/runs", { prompt: "Hi" });
    expect((await ask()).status).toBe(202);
    expect((await ask()).json).toMatchObject({
      status: 503,
      code: "queue_full",
      detail: expect.stringContaining("agent triage is full: its maxQueued is 1"),
    });
    const { manifest } = service.state.sources;
    const trigger = {
      slug: "new-ticket",
      attachmentId: "new-ticket:triage",
      target: { kind: "agent" as const, slug: "triage" },
    };
    const planned = planRun({
      manifest,
      trigger,
      payload: {},
      now: service.state.now,
      startedBy: "webhook",
      deliveryId: null,
      replayOf: null,
      keyId: null,
      key: null,
    });
    expect(planned).toMatchObject({ maxQueued: 1, maxAttempts: 1 });
    await expect(service.store.createRuns([planned])).rejects.toMatchObject({ code: "queue_full" });
  });

  it("replays of many runs start while the queue has room, and the others are listed", async () => {
    const service = await openTestService();
    const ids: string[] = [];
    for (const _ of [1, 2, 3])
      ids.push((await deliver(service, { endpoint: "signup", body: signup })).runs[0]?.id ?? "");
    await actOnRuns(service, { action: "cancel", ids });
    bound(service, 2);
    expect(await actOnRuns(service, { action: "replay", ids })).toMatchObject({
      done: 2,
      failed: [{ id: ids[2], message: expect.stringContaining("its maxQueued is 2") }],
    });
    expect((await service.store.countOpenRuns()).queued).toBe(2);
  });
});
