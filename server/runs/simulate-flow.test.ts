import { expect, it } from "vitest";
import { openTestService } from "../http/rest/testing/test-service.ts";
import { aClaim, aRun } from "../store/testing/factories.ts";
import { simulateFlow } from "./simulate-flow.ts";

it("recorded runs of a target are tried with other limits, without those that never started", async () => {
  const service = await openTestService();
  const { store, state } = service;
  const createdAt = state.now - 86_400_000;
  const runs = ["a", "a", "b"].map((key) => aRun({ key, createdAt }));
  await store.createRuns(runs);
  for (const { id: runId, token } of await store.claimRuns(aClaim({ now: createdAt + 5, limits: new Map() })))
    await store.writeProgress({
      runId,
      token,
      now: createdAt + 105,
      entries: [],
      transition: { to: "failed", error: null },
    });
  await store.createRuns([aRun({ key: "a", createdAt }), aRun({ key: "a", createdAt: createdAt - 30 * 86_400_000 })]);
  const request = { target: "welcome-email", perKey: 1, onFailure: "block" } as const;
  expect(await simulateFlow(service, request)).toMatchObject({
    runs: 3,
    isCapped: false,
    delayed: 1,
    waits: { p50Ms: 0, maxMs: 100 },
    recordedWaits: { p50Ms: 5, maxMs: 5 },
    blockedKeys: 2,
    blocks: [
      { key: "a", runs: 1 },
      { key: "b", runs: 0 },
    ],
  });
  expect(await simulateFlow(service, { target: "welcome-email" })).toMatchObject({ delayed: 0, maxConcurrent: 3 });
  await expect(simulateFlow(service, { target: "welcome-emial" })).rejects.toMatchObject({ code: "not_found" });
});
