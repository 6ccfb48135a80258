import { expect, it } from "vitest";
import { openTestService } from "../http/rest/testing/test-service.ts";
import { aConcurrency, aRun } from "../store/testing/factories.ts";
import { findRuns, getRun, listRuns } from "./read-runs.ts";

it("runs are read with what they wait for, alone and in lists, and a webhook key does not see the other run", async () => {
  const service = await openTestService();
  const { store, state } = service;
  const concurrency = aConcurrency({ perKey: 1 });
  const [first, second] = [0, 1].map((n) =>
    aRun({ key: "customer_7", concurrency, createdAt: state.now + n, keyId: "key_1" }),
  );
  if (!first || !second) throw new Error("there are two runs");
  await store.createRuns([first, second]);
  const waitsFor = { kind: "key", runId: first.id, isBlocked: false };
  const page = { limit: 10, cursor: null };
  expect(await getRun(service, { id: second.id })).toMatchObject({ id: second.id, waitsFor });
  expect(await getRun(service, { id: first.id })).not.toHaveProperty("waitsFor");
  expect((await listRuns(service, { filter: {}, page })).data.map((run) => run.waitsFor)).toEqual([
    waitsFor,
    undefined,
  ]);
  expect(await findRuns(service, [second.id])).toMatchObject([{ waitsFor }]);
  const hidden = { ...waitsFor, runId: null };
  expect(await getRun(service, { id: second.id, keyId: "key_1" })).toMatchObject({ waitsFor: hidden });
  expect((await listRuns(service, { filter: { keyId: "key_1" }, page })).data[0]).toMatchObject({ waitsFor: hidden });
  const listed = await service.get("/api/v1/runs?waitsForKey=true");
  expect(listed.json).toMatchObject({ data: [{ id: second.id, waitsFor }] });
});
