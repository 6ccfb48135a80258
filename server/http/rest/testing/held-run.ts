import { newId } from "../../../domain/ids.ts";
import type { TestService } from "./test-service.ts";

export const approvalName = "approval 1.1 refund";

/** A run of an agent that waits for an approval. */
export async function withApproval(service: TestService): Promise<string> {
  const { store, state } = service;
  const id = newId("run");
  const target = { kind: "agent" as const, slug: "triage" };
  await store.createRuns([
    {
      id,
      trigger: null,
      attachmentId: null,
      target,
      deliveryId: null,
      startedBy: "api",
      replayOf: null,
      version: "v1",
      maxAttempts: 1,
      createdAt: state.now,
      payload: null,
      input: { prompt: "Hi" },
      keyId: null,
    },
  ]);
  const [run] = await store.claimRuns({
    slots: ["wrk_1"],
    now: state.now,
    leaseMs: 60_000,
    limits: new Map(),
    pool: "shared",
  });
  const result = { request: { toolCallId: "a", toolName: "refund", input: { cents: 500 } } };
  await store.writeProgress({
    runId: id,
    token: run?.token ?? "",
    now: state.now,
    entries: [],
    steps: [
      {
        name: approvalName,
        kind: "approval",
        attempt: 1,
        startedAt: state.now,
        finishedAt: null,
        until: state.now + 1e9,
        result,
        sequence: null,
      },
    ],
    transition: { to: "waiting", reason: "sleep", availableAt: state.now + 1e9 },
  });
  return id;
}
