import { describe, expect, it } from "vitest";
import { isoAt, runStart, timelineOf } from "./testing/timeline.ts";
import type { RunStatus } from "../../contract/run.ts";
import { toConversation } from "./conversation.ts";
import { answered, asked, called, failed, ran, said, traceOf } from "./testing/trace.ts";

const running = { status: "running" as const, error: null };
const toTurns = (known: Parameters<typeof toConversation>[0]) => toConversation(known).turns;
const known = { entries: [], run: running };

const answeredBy = (steps: Parameters<typeof traceOf>[0]["steps"], provider?: string) =>
  toConversation({
    ...known,
    trace: traceOf({ steps }),
    builtModel: provider === undefined ? undefined : { provider, modelId: "x" },
  }).modelBeyondBuild;

describe("a conversation", () => {
  it("orders model calls and the tools of an answer, for any order of the steps", () => {
    const trace = traceOf({
      steps: [
        answered("model 10", [90, 95], [said("ten")]),
        ran("tool 2.2 b", [30, 31], { outcome: "done" }),
        ran("tool 2.1 a", [30, 30], { outcome: "failed", output: "no" }),
        answered("model 2", [20, 29], [said("two"), called("a"), called("b")]),
        answered("model 1", [1, 9], [called("x")]),
      ],
    });
    const turns = toTurns({ ...known, trace });
    expect(turns.map(({ call }) => call)).toEqual([1, 2, 10]);
    expect(turns[1]?.tools.map(({ position, state, output }) => [position, state, output])).toEqual([
      ["2.1", "failed", "no"],
      ["2.2", "done", null],
    ]);
    expect(turns[1]?.answer).toMatchObject({ text: "two", durationMs: 9 });
  });

  it("names the model that answered if the build had only a script", () => {
    const steps = [answered("model 1", [1, 9], [said("one")])];
    expect(answeredBy(steps, "scripted-model")).toBe("scripted-1");
    expect([answeredBy(steps, "openai.chat"), answeredBy(steps), answeredBy([], "scripted-model")]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("gives a tool call without a result its state: running, waiting, due or stopped", () => {
    const answer = answered(
      "model 1",
      [1, 9],
      ["a", "b", "c", "d"].map((name) => called(name)),
    );
    const trace = traceOf({
      steps: [answer, ran("tool 1.1 a", [10, 20], { outcome: "done" })],
      approvals: [asked("approval 1.3 c"), asked("approval 1.4 d", { isApproved: true, reason: null, by: "Ada" })],
    });
    const entries = timelineOf([20, "step_started", { name: "tool 1.2 b" }]);
    const states = (run: { status: RunStatus; error: null }) =>
      toTurns({ ...known, trace, entries, run })[0]?.tools.map(({ state }) => state);
    expect(states(running)).toEqual(["done", "running", "waiting", "due"]);
    expect(states({ status: "canceled", error: null })).toEqual(["done", "stopped", "stopped", "stopped"]);
  });

  it("has each failed try, and the time of the next retry", () => {
    const steps = [failed("model 1", [0, 100], 3_000), failed("model 1 try 2", [3_100, 3_200], 4_000)];
    const [waiting] = toTurns({ ...known, trace: traceOf({ steps }), run: { status: "waiting", error: null } });
    expect(waiting?.failures.map(({ retryAt }) => retryAt)).toEqual([null, runStart + 7_200]);
    expect(waiting).toMatchObject({ isInProgress: false, answer: null });
    const [asking] = toTurns({
      ...known,
      trace: traceOf({ steps }),
      entries: timelineOf([7_300, "step_started", { name: "model 1 try 3" }]),
    });
    expect(asking).toMatchObject({ isInProgress: true, failures: [{ retryAt: null }, { retryAt: null }] });
    const [ended] = toTurns({ ...known, trace: traceOf({ steps }), run: { status: "canceled", error: null } });
    expect(ended?.failures.map(({ retryAt }) => retryAt)).toEqual([null, null]);
  });

  it("includes the live answer until the answer is stored or the run has ended", () => {
    const live = {
      step: "model 2",
      attempt: 1,
      startedAt: isoAt(40),
      updatedAt: isoAt(60),
      text: "Let me",
      textCut: 0,
      reasoning: "",
      reasoningCut: 0,
      toolCalls: [],
      toolCallsCut: 0,
    };
    const before = traceOf({ steps: [answered("model 1", [1, 9], [called("a")])] });
    expect(toTurns({ ...known, trace: { ...before, live } })[1]).toMatchObject({
      call: 2,
      isInProgress: true,
      live,
      answer: null,
    });
    expect(
      toTurns({
        ...known,
        trace: { ...before, live },
        run: { status: "failed", error: { name: "Timeout" } },
      })[1],
    ).toMatchObject({ isInProgress: false, live: null });
    const after = traceOf({ steps: [...before.steps, answered("model 2", [40, 90], [said("Let me see")])] });
    expect(toTurns({ ...known, trace: { ...after, live } })[1]).toMatchObject({
      isInProgress: false,
      live: null,
      answer: { text: "Let me see" },
    });
  });

  it("drops steps in progress of a lost worker", () => {
    const entries = timelineOf([1, "step_started", { name: "model 1" }], [2, "worker_lost"]);
    expect(toTurns({ ...known, trace: traceOf({}), entries })[0]).toMatchObject({
      call: 1,
      isInProgress: false,
    });
  });

  it("distinguishes the final answer from one that did not parse", () => {
    const steps = [answered("model 1", [1, 2], [said("Sure!")]), answered("model 2", [3, 4], [said("{}")])];
    const ends = (run: { status: RunStatus; error: { name: string } | null }) =>
      toTurns({ ...known, trace: traceOf({ steps }), run }).map(({ end }) => end);
    expect(ends({ status: "completed", error: null })).toEqual(["repaired", "final"]);
    const entries = timelineOf(
      [2, "log", { data: { call: 1, why: "It is not JSON." } }],
      [3, "log", { data: { call: "1", why: 1 } }],
    );
    expect(
      toTurns({ trace: traceOf({ steps }), entries, run: { status: "completed", error: null } }).map(
        ({ validationError }) => validationError,
      ),
    ).toEqual(["It is not JSON.", null]);
    expect(ends({ status: "failed", error: { name: "InvalidOutput" } })).toEqual(["repaired", "unusable"]);
    expect(ends({ status: "failed", error: { name: "budget_exceeded" } })).toEqual(["repaired", "open"]);
  });
});

it("a tool call can be decided only while its run waits", () => {
  const trace = traceOf({
    approvals: [asked("approval 1.1 a"), asked("approval 1.2 b", { isApproved: false, reason: null, by: "Ada" })],
  });
  const areOpen = (status: RunStatus) =>
    toConversation({ entries: [], trace, run: { status, error: null } }).approvals.map(({ isOpen }) => isOpen);
  expect(areOpen("waiting")).toEqual([true, false]);
  expect(areOpen("canceled")).toEqual([false, false]);
});

it("steps have readable names, and failures reported to the model count as failures", () => {
  const names = [
    "prompt",
    "model 1",
    "model 1 try 2",
    "tool 1.1 search",
    "tool 1.2 send mail",
    "tool 1.3 refund",
    "needs approval 1.3 refund",
    "tool of my own",
    "wait for model 2",
  ];
  const trace = traceOf({
    steps: [
      failed("model 1", [0, 1], 10),
      answered("model 1 try 2", [2, 3], []),
      ran("tool 1.1 search", [4, 5], { outcome: "done" }),
      ran("tool 1.2 send mail", [6, 7], { outcome: "failed" }),
      ran("tool 1.3 refund", [8, 9], { outcome: "denied" }),
    ],
  });
  const entries = timelineOf(
    ...names.map((name, at): [number, "step_started", { name: string }] => [at, "step_started", { name }]),
  );
  expect(
    toConversation({ trace, entries, run: running }).steps.map(({ label, kind, outcome }) => [label, kind, outcome]),
  ).toEqual([
    ["Prompt", "prompt", null],
    ["Model call 1", "model", "failed"],
    ["Model call 1, try 2", "model", null],
    ["Tool search", "tool", null],
    ["Tool send mail", "tool", "failed"],
    ["Tool refund", "tool", "stopped"],
    ["Approval check of refund", "question", null],
    ["Wait for model call 2", "pause", null],
  ]);
});
