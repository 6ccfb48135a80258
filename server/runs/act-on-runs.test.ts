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

const failed = { to: "failed", error: { name: "Error", message: "no", stack: null } } as const;

/** Executes all due runs. */
async function executeAll(service: TestService, end?: Parameters<typeof executeRuns>[1]): Promise<void> {
  while ((await executeRuns(service, end)).length > 0);
  service.state.now += 1000;
}

/** Calls until the last page, as the app does. */
async function actOnAll(service: TestService, request: Omit<BulkRequest, "cursor">) {
  const total = { done: 0, skipped: 0, failed: [] as string[], calls: 0 };
  let cursor: string | null = null;
  do {
    const acted: Awaited<ReturnType<typeof actOnFilteredRuns>> = await actOnFilteredRuns(service, {
      ...request,
      cursor,
    });
    total.done += acted.done;
    total.skipped += acted.skipped.length;
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
    await executeAll(service);
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
    await executeAll(service);
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
    await executeAll(service);
    service.state.sources = projectFixture({ triggers: ["new-signup"] });
    const { done, failed } = await actOnAll(service, { action: "replay", filter: {}, until: service.state.now });
    expect(done).toBe(2);
    expect(failed).toEqual([
      expect.stringContaining("new-signup:welcome-email is not in the deployed project"),
      expect.stringContaining("new-signup:welcome-email is not in the deployed project"),
    ]);
  });
});

describe("recovering all failed runs of a filter", () => {
  const all = { filter: { trigger: "new-signup" }, until: null };

  it("resumes each once: repeating it resumes none, unless they failed again", async () => {
    const service = await openTestService();
    const ids = await signUp(service, 60);
    await executeAll(service, failed);
    expect(await actOnAll(service, { action: "resume", ...all })).toMatchObject({ done: 60, failed: [] });
    expect(await actOnAll(service, { action: "resume", ...all })).toMatchObject({ done: 0, failed: [] });
    await executeAll(service);
    expect(await countRuns(service, { status: "completed" })).toMatchObject({ count: ids.length });
    expect(await actOnAll(service, { action: "resume", ...all })).toMatchObject({ done: 0 });
  });

  it("resumes each once, if two do it at the same time", async () => {
    const service = await openTestService();
    const ids = await signUp(service, 120);
    await executeAll(service, failed);
    const [one, other] = await Promise.all([1, 2].map(() => actOnAll(service, { action: "resume", ...all })));
    expect((one?.done ?? 0) + (other?.done ?? 0)).toBe(120);
    for (const id of ids)
      expect(
        (await service.store.listTimeline(id, { after: 0, limit: 100 })).filter(
          ({ kind }) => kind === "resume_requested",
        ),
      ).toHaveLength(1);
  });

  it("leaves alone a run that failed again after it began", async () => {
    const service = await openTestService();
    await signUp(service, 1);
    await executeAll(service, failed);
    const until = service.state.now;
    expect(await actOnAll(service, { action: "resume", ...all, until })).toMatchObject({ done: 1 });
    await executeAll(service, failed);
    expect(await actOnAll(service, { action: "resume", ...all, until })).toMatchObject({ done: 0 });
    expect(await actOnAll(service, { action: "resume", ...all, until: service.state.now })).toMatchObject({ done: 1 });
  });

  it("replays each once, if two do it at the same time and a third one later", async () => {
    const service = await openTestService();
    const ids = await signUp(service, 120);
    await executeAll(service, failed);
    await Promise.all([1, 2].map(() => actOnAll(service, { action: "replay", ...all })));
    await executeAll(service);
    const later = await actOnAll(service, { action: "replay", ...all });
    expect(later).toMatchObject({ done: 0, skipped: 120, failed: [] });
    for (const id of ids) expect(await countRuns(service, { replayOf: id })).toMatchObject({ count: 1 });
    expect(await countRuns(service, { unresolved: true })).toMatchObject({ count: 0 });
  });

  it("resumes no run that was replayed, and a replay that failed", async () => {
    const service = await openTestService();
    const [id = ""] = await signUp(service, 1);
    await executeAll(service, failed);
    const { runs } = await actOnRuns(service, { action: "replay", ids: [id] });
    await executeAll(service, failed);
    const page = await actOnFilteredRuns(service, { action: "resume", ...all, cursor: null });
    expect(page.runs.map((run) => run.id)).toEqual([runs[0]?.replayedAs]);
  });

  it("stops at the limit, and a dry run changes nothing", async () => {
    const service = await openTestService();
    const ids = await signUp(service, 5);
    await executeAll(service, failed);
    const first = { action: "resume", ...all, cursor: null, limit: 2 } as const;
    const dry = await actOnFilteredRuns(service, { ...first, isDryRun: true });
    expect(dry.runs.map(({ id }) => id)).toEqual([ids[4], ids[3]]);
    expect(await countRuns(service, { status: "failed" })).toMatchObject({ count: 5 });
    expect(service.state.queued).toBe(0);
    expect((await actOnFilteredRuns(service, first)).runs).toEqual(dry.runs);
    expect(await countRuns(service, { status: "queued" })).toMatchObject({ count: 2 });
    const replays = await actOnFilteredRuns(service, {
      ...first,
      action: "replay",
      filter: { status: "failed" },
      isDryRun: true,
    });
    expect(replays).toMatchObject({ done: 2, runs: [{ replayedAs: null }, { replayedAs: null }] });
    expect(await countRuns(service, {})).toMatchObject({ count: 5 });
  });

  it("replays no run that has not ended, and no replay that completed", async () => {
    const service = await openTestService();
    await signUp(service, 2);
    expect(await actOnAll(service, { action: "replay", ...all })).toMatchObject({ done: 0, skipped: 2 });
    await executeAll(service);
    expect(await actOnAll(service, { action: "replay", ...all })).toMatchObject({ done: 2 });
    await executeAll(service);
    expect(await actOnAll(service, { action: "replay", ...all })).toMatchObject({ done: 0 });
  });

  it("names the runs whose workflow is no longer deployed", async () => {
    const service = await openTestService();
    await signUp(service, 2);
    await executeAll(service, failed);
    service.state.sources = projectFixture({ workflows: ["welcome-email"] });
    expect((await actOnAll(service, { action: "resume", ...all })).failed).toEqual([
      expect.stringContaining("workflow welcome-email is not in the deployed project"),
      expect.stringContaining("workflow welcome-email is not in the deployed project"),
    ]);
  });
});

describe("acting on chosen runs", () => {
  it("acts on each run once, and gives the reason for each failure", async () => {
    const service = await openTestService();
    const [first = "", second = ""] = await signUp(service, 2);
    expect(await actOnRuns(service, { action: "cancel", ids: [first] })).toEqual({
      done: 1,
      runs: [{ id: first, replayedAs: null }],
      skipped: [],
      failed: [],
    });
    expect(await actOnRuns(service, { action: "cancel", ids: [first, second, second, "run_unknown"] })).toMatchObject({
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

  it("replays each of them once, however often it is called, and none that is open", async () => {
    const service = await openTestService();
    const ids = await signUp(service, 2);
    const replay = { action: "replay", ids } as const;
    expect(await actOnRuns(service, replay)).toMatchObject({ done: 0, skipped: [{ id: ids[0] }, { id: ids[1] }] });
    await executeAll(service, failed);
    expect(await actOnRuns(service, replay)).toMatchObject({ done: 2, skipped: [] });
    expect(await actOnRuns(service, replay)).toMatchObject({ done: 0, skipped: [{ id: ids[0] }, { id: ids[1] }] });
    for (const id of ids) expect(await countRuns(service, { replayOf: id })).toMatchObject({ count: 1 });
  });

  it("replays none when the store fails", async () => {
    const service = await openTestService();
    const ids = await signUp(service, 2);
    await actOnRuns(service, { action: "cancel", ids });
    service.store.createFittingRuns = () => Promise.reject(new Error("full"));
    await expect(actOnRuns(service, { action: "replay", ids })).rejects.toThrow("full");
  });
});

describe("counting runs", () => {
  it("counts those that an action affects: a cancel only open ones, a resume only unresolved failures", async () => {
    const service = await openTestService();
    const [first = ""] = await signUp(service, 3);
    await actOnRuns(service, { action: "cancel", ids: [first] });
    expect(await countRuns(service, {})).toEqual({ count: 3, isCapped: false });
    expect(await countRuns(service, {}, "replay")).toEqual({ count: 3, isCapped: false });
    expect(await countRuns(service, {}, "cancel")).toEqual({ count: 2, isCapped: false });
    expect(await countRuns(service, { status: "canceled" }, "cancel")).toEqual({ count: 0, isCapped: false });
    expect(await countRuns(service, {}, "resume")).toEqual({ count: 0, isCapped: false });
  });

  it("ends at its time limit and reports it", async () => {
    const service = await openTestService();
    await signUp(service, 150);
    const { listRuns } = service.store;
    service.store.listRuns = (filter, page) => ((service.state.now += 2000), listRuns(filter, page));
    expect(await countRuns(service, {})).toEqual({ count: 100, isCapped: true });
  });
});
