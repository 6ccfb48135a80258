import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import type { FailedBuild } from "../contract/project/failed-build.ts";
import { deliver, executeRuns, openTestService, paidBody } from "../http/rest/testing/test-service.ts";
import { createTrpc } from "./create-trpc.ts";

type Service = Awaited<ReturnType<typeof openTestService>>;
type Overrides = Partial<Parameters<typeof createTrpc>[0]>;

const eventSchema = z.object({ feed: z.string(), after: z.string(), data: z.unknown() });

/** Reads a stream of these feeds. `next` resolves with the data of the next event, and with the id of the event. */
async function openStream(
  service: Service,
  feeds: readonly object[],
  p: { lastEventId?: string; deps?: Overrides } = {},
) {
  const trpc = createTrpc({ ...service.deps, name: "my project", news: service.deps.store, ...p.deps });
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const input = encodeURIComponent(JSON.stringify({ feeds, ...(p.lastEventId && { lastEventId: p.lastEventId }) }));
  const response = await trpc.handle(
    new Request(`http://localhost:3002/api/trpc/live?input=${input}`, { signal: leave.signal }),
  );
  if (!response.body) throw new Error("no stream");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const next = async () => {
    for (;;) {
      const found = /^data: (\{"feed".*\})\nid: (.*)$/m.exec(text);
      if (found) {
        text = text.slice(found.index + found[0].length);
        return { ...eventSchema.parse(JSON.parse(found[1] ?? "")), id: found[2] ?? "" };
      }
      const { done, value } = await reader.read();
      if (done) throw new Error("the stream has ended");
      text += value;
    }
  };
  return { next, response, trpc };
}

const topics = (over: object = {}) => ({ id: "t", kind: "topics", after: null, openRuns: [], endedRuns: [], ...over });

describe("the topics of changes", () => {
  it("say what a write changed; a reader without a position has missed changes", async () => {
    const service = await openTestService();
    const { next, response } = await openStream(service, [topics()]);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect((await next()).data).toEqual({ topics: ["all"], version: "v-test" });
    await deliver(service, { endpoint: "billing", body: "{}" });
    expect((await next()).data).toMatchObject({ topics: ["deliveries"] });
    await deliver(service, { endpoint: "billing", body: paidBody });
    expect((await next()).data).toMatchObject({ topics: ["deliveries", "runs"] });
    await service.store.switchTrigger({ slug: "refund", disable: { at: 0, reason: null } });
    expect((await next()).data).toMatchObject({ topics: ["switches"] });
  });

  it("continue after a lost connection, and after other feeds were chosen, with exactly what was missed", async () => {
    const service = await openTestService();
    const first = await (await openStream(service, [topics()])).next();
    await deliver(service, { endpoint: "billing", body: "{}" });
    const missed = { topics: ["deliveries"], version: "v-test" };
    expect((await (await openStream(service, [topics()], { lastEventId: first.id })).next()).data).toEqual(missed);
    expect((await (await openStream(service, [topics({ after: first.after })])).next()).data).toEqual(missed);
    expect((await (await openStream(service, [topics({ after: "of an older release" })])).next()).data).toMatchObject({
      topics: ["all"],
    });
  });

  it("name a run that is shown when it changes; one that had ended and is the same is not read again", async () => {
    const service = await openTestService();
    const [ended] = (await deliver(service, { endpoint: "billing", body: paidBody })).runs;
    await executeRuns(service);
    const [open] = (await deliver(service, { endpoint: "billing", body: paidBody })).runs;
    const before = await (await openStream(service, [topics()])).next();
    const shown = topics({ after: before.after, openRuns: [open?.id], endedRuns: [ended?.id] });
    const { next } = await openStream(service, [shown]);
    expect((await next()).data).toMatchObject({ topics: [`run:${open?.id}`] });
    await executeRuns(service);
    expect((await next()).data).toMatchObject({ topics: ["runs", `run:${open?.id}`] });
  });

  it("report a build that has failed, though nothing was written", async () => {
    const service = await openTestService();
    let failed: FailedBuild | null = null;
    const listeners: (() => void)[] = [];
    const news = { watch: (listener: () => void) => (listeners.push(listener), () => {}) };
    const project = { ...service.deps.project, failedBuild: () => failed };
    const { next, trpc } = await openStream(service, [topics()], { deps: { news, project } });
    await next();
    failed = { at: "2026-11-21T10:00:00.000Z", problems: [] };
    for (const listener of listeners) listener();
    expect((await next()).data).toMatchObject({ topics: ["build"] });
    expect(await trpc.caller(new Headers({ host: "localhost:3002" })).project.failedBuild()).toEqual(failed);
  });

  it("come at least 200 ms apart", async () => {
    const service = await openTestService();
    const { next } = await openStream(service, [topics()]);
    // Between two events is at least one look, whose time does not depend on how fast the test reads.
    const looks: number[] = [];
    const mark = service.store.liveMark.bind(service.store);
    vi.spyOn(service.store, "liveMark").mockImplementation(() => {
      looks.push(performance.now());
      return mark();
    });
    const writing = (async () => {
      while (looks.length < 4) {
        await deliver(service, { endpoint: "billing", body: "{}" });
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    while (looks.length < 4) await next();
    await writing;
    const gaps = looks.slice(1).map((time, at) => time - (looks[at] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(180);
  });
});

describe("the feeds of a run", () => {
  it("bring each timeline entry once, after the last one that the reader has", async () => {
    const service = await openTestService();
    const [run] = (await deliver(service, { endpoint: "billing", body: paidBody })).runs;
    const timeline = { id: "e", kind: "timeline", run: run?.id, after: null };
    const { next } = await openStream(service, [timeline]);
    const begun = z.array(z.object({ kind: z.string() })).parse((await next()).data);
    expect(begun[0]?.kind).toBe("queued");
    const known = String(begun.length);
    await executeRuns(service);
    const rest = await (await openStream(service, [{ ...timeline, after: known }])).next();
    const kinds = z
      .array(z.object({ kind: z.string() }))
      .parse(rest.data)
      .map(({ kind }) => kind);
    expect(kinds).not.toContain("queued");
    expect(kinds.at(-1)).toBe("completed");
  });

  it("bring the words of a model, which change no topic, and end with them", async () => {
    const service = await openTestService();
    const { store } = service;
    const run = {
      id: "run_agent",
      trigger: null,
      attachmentId: null,
      target: { kind: "agent" as const, slug: "triage" },
      deliveryId: null,
      startedBy: "api" as const,
      replayOf: null,
      version: "v1",
      maxAttempts: 1,
    };
    await store.createRuns([{ ...run, createdAt: 0, payload: null, input: { prompt: "Hi" }, keyId: null }]);
    const claim = { slots: ["wrk_1"], now: 1, leaseMs: 10_000, limits: new Map(), pool: "shared" as const };
    const [held] = await store.claimRuns(claim);
    if (!held) throw new Error("the run was to be due");
    const { next } = await openStream(service, [topics(), { id: "w", kind: "words", run: held.id, after: null }]);
    await next();
    const said = { text: "Hello", textCut: 0, reasoning: "", reasoningCut: 0, toolCalls: [], toolCallsCut: 0 };
    const live = { step: "model 1", attempt: 1, startedAt: 1, said };
    await store.saveLive({ runId: held.id, token: held.token, now: 2, ...live });
    expect(await next()).toMatchObject({ feed: "w", data: { text: "Hello", step: "model 1" } });
    const entries = [{ at: 3, kind: "log" as const, attempt: 1, message: "said" }];
    await store.writeProgress({ runId: held.id, token: held.token, now: 3, entries, clearsLive: true });
    expect(await next()).toMatchObject({ feed: "t", data: { topics: ["runs"] } });
    expect(await next()).toMatchObject({ feed: "w", data: null });
  });
});
