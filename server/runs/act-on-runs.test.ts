import { describe, expect, it } from "vitest";
import {
  deliver,
  executeRuns,
  openTestService,
  paidBody,
  type TestService,
} from "../http/rest/testing/test-service.ts";
import { projectFixture } from "../http/rest/testing/project-fixture.ts";
import { actOnFilteredRuns, actOnRuns, type BulkRequest } from "./act-on-runs.ts";
import { countRuns } from "./filtered-runs.ts";

const signup = '{ "name": "a", "email": "a@example.com" }';

async function signUp(service: TestService, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    service.state.now += 1000;
    ids.push(...(await deliver(service, { endpoint: "signup", body: signup })).runs.map(({ id }) => id));
  }
  service.state.now += 1000;
  return ids;
}

/** Calls until there is no more, as the app does. */
async function actOnAll(service: TestService, request: Omit<BulkRequest, "cursor">) {
  const total = { done: 0, failed: [] as string[], calls: 0 };
  let cursor: string | null = null;
  do {
    const acted: Awaited<ReturnType<typeof actOnFilteredRuns>> = await actOnFilteredRuns(service, {
      ...request,
      cursor,
    });
    total.done += acted.done;
    total.failed.push(...acted.failed.map(({ message }) => message));
    total.calls += 1;
    cursor = acted.nextCursor;
    service.state.now += 1000;
  } while (cursor !== null);
  return total;
}

describe("acting on all runs of a filter", () => {
  it("replays each run once, and none of the replays made meanwhile", async () => {
    const service = await openTestService();
    const ids = await signUp(service, 120);
    const { done, failed, calls } = await actOnAll(service, {
      action: "replay",
      filter: { trigger: "new-signup" },
      until: service.state.now,
    });
    expect([done, failed, calls]).toEqual([120, [], 3]);
    expect(await countRuns(service, { trigger: "new-signup" })).toEqual({ count: 240, isCapped: false });
    for (const id of ids) expect(await countRuns(service, { replayOf: id })).toMatchObject({ count: 1 });
  });

  it("does the same for a client whose clock is ahead", async () => {
    const service = await openTestService();
    await signUp(service, 60);
    expect(
      await actOnAll(service, { action: "replay", filter: {}, until: service.state.now + 3_600_000 }),
    ).toMatchObject({ done: 60 });
  });

  it("cancels what has not ended, and is not held up by what has", async () => {
    const service = await openTestService();
    await signUp(service, 60);
    await executeRuns(service);
    await signUp(service, 30);
    expect(await actOnAll(service, { action: "cancel", filter: {}, until: service.state.now })).toMatchObject({
      done: 30,
      failed: [],
    });
    expect(await countRuns(service, { status: "canceled" })).toMatchObject({ count: 30 });
  });

  it("leaves alone what does not match, and what came after it was asked for", async () => {
    const service = await openTestService();
    await signUp(service, 2);
    const until = service.state.now;
    await deliver(service, { endpoint: "billing", body: paidBody });
    await signUp(service, 3);
    expect(await actOnAll(service, { action: "cancel", filter: { trigger: "new-signup" }, until })).toMatchObject({
      done: 2,
    });
  });

  it("names each run that cannot be replayed, and replays the others", async () => {
    const service = await openTestService();
    await signUp(service, 2);
    await deliver(service, { endpoint: "billing", body: paidBody });
    service.state.now += 1000;
    service.state.sources = projectFixture({ triggers: ["new-signup"] });
    const { done, failed } = await actOnAll(service, { action: "replay", filter: {}, until: service.state.now });
    expect(done).toBe(2);
    expect(failed).toEqual([
      expect.stringContaining("new-signup:welcome-email is not in the deployed project"),
      expect.stringContaining("new-signup:welcome-email is not in the deployed project"),
    ]);
  });
});

describe("acting on chosen runs", () => {
  it("acts on each run once, and gives the reason for each failure", async () => {
    const service = await openTestService();
    const [first = "", second = ""] = await signUp(service, 2);
    expect(await actOnRuns(service, { action: "cancel", ids: [first] })).toEqual({ done: 1, failed: [] });
    expect(await actOnRuns(service, { action: "cancel", ids: [first, second, second, "run_unknown"] })).toEqual({
      done: 1,
      failed: [
        { id: first, message: "The run had already ended." },
        { id: "run_unknown", message: "The run no longer exists." },
      ],
    });
    expect(await actOnRuns(service, { action: "replay", ids: [first, "run_unknown"] })).toMatchObject({
      done: 1,
      failed: [{ id: "run_unknown" }],
    });
  });

  it("replays none when the store fails", async () => {
    const service = await openTestService();
    const ids = await signUp(service, 2);
    service.store.createFittingRuns = () => Promise.reject(new Error("full"));
    await expect(actOnRuns(service, { action: "replay", ids })).rejects.toThrow("full");
  });
});

describe("counting runs", () => {
  it("ends at its time limit and reports it", async () => {
    const service = await openTestService();
    await signUp(service, 150);
    const { listRuns } = service.store;
    service.store.listRuns = (filter, page) => ((service.state.now += 2000), listRuns(filter, page));
    expect(await countRuns(service, {})).toEqual({ count: 100, isCapped: true });
  });
});
