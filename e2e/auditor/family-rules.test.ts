import { describe, expect, it } from "vitest";
import type { Families } from "./facts.ts";
import { familyRules } from "./family-rules.ts";

type RuleName = keyof typeof familyRules;
type Child = Families["children"][number];

const child = (id: string, over: Partial<Child> = {}): Child => ({
  id,
  parentId: "run_kit",
  step: `part ${id}`,
  link: "call",
  status: "completed",
  output: { runId: id },
  ...over,
});
const callOf = ({ id: runId, parentId, step, status, output, link }: Child) => ({
  parentId,
  step,
  result: link === "start" ? { runId, output: undefined } : { runId, status, output },
});

/** A kit with three parts, one of which is broken, and a run that was only started. */
const children = [
  child("run_1"),
  child("run_2", { status: "failed", output: null }),
  child("run_3", { link: "kept_call" }),
  child("run_4", { step: "notice", link: "start" }),
];
const parts = ["run_1 completed", "run_2 failed", "run_3 completed"].map((part) => {
  const [runId, status] = part.split(" ");
  return { runId, status };
});
const parent = { id: "run_kit", status: "completed", output: { parts } };
const honest: Families = { parents: [parent], children, calls: children.map(callOf) };

/** The first child run is different in the store. */
const withFirst = (over: Partial<Child>, more: Partial<Families> = {}): Families => ({
  ...honest,
  children: [child("run_1", over), ...children.slice(1)],
  ...more,
});
const withFirstResult = (result: Families["calls"][number]["result"]): Families => ({
  ...honest,
  calls: honest.calls.map((call, at) => (at === 0 ? { ...call, result } : call)),
});
const ended = (status: string) => [{ ...parent, status, output: null }];

const broken = (families: Families) =>
  Object.entries(familyRules)
    .filter(([, check]) => check({ families }).length > 0)
    .map(([rule]) => rule);

it("child runs of a correct service break no rule", () => {
  expect(broken(honest)).toEqual([]);
  const canceled = withFirst({ status: "canceled", output: null }, { parents: ended("failed") });
  const calls = honest.calls.map((call) => ({ ...call, result: { runId: call.result.runId, output: undefined } }));
  expect(broken({ ...canceled, calls })).toEqual([]);
});

const doctored: Record<RuleName, Record<string, Families>> = {
  "no step has two child runs": {
    "there is one more": { ...honest, children: [...children, child("run_5", { step: "part run_1" })] },
  },
  "every child run has its step, and every step its child run": {
    "the step is missing": { ...honest, calls: honest.calls.slice(1) },
    "the child is missing": { ...honest, children: children.slice(1) },
    "the step has another": withFirstResult({ runId: "run_2", status: "completed", output: null }),
  },
  "a run continues only with the ends of the child runs that it waited for": {
    "it continued without it": withFirstResult({ runId: "run_1", output: undefined }),
    "it has another output": withFirstResult({ runId: "run_1", status: "completed", output: { runId: "run_2" } }),
    "it has another status": withFirstResult({ runId: "run_1", status: "failed", output: null }),
    "the child is still open": withFirst({ status: "waiting", output: null }),
    "its code received something else": { ...honest, parents: [{ ...parent, output: { parts: parts.slice(1) } }] },
  },
  "no run sleeps although all its child runs have ended": {
    "it sleeps": { ...honest, parents: ended("waiting") },
    "only a started run is open": {
      ...honest,
      parents: ended("waiting"),
      children: children.map((one) => (one.link === "start" ? { ...one, status: "running" } : one)),
    },
  },
  "no child run is open after its parent has failed or was canceled": {
    "it failed": withFirst({ status: "waiting", output: null }, { parents: ended("failed") }),
    "it was canceled": withFirst({ status: "queued", output: null }, { parents: ended("canceled") }),
  },
  "only the child runs of a run that failed or was canceled are canceled, and all end": {
    "one is open": withFirst({ status: "running", output: null }),
    "one was canceled": withFirst({ status: "canceled", output: null }),
    "one that continues was canceled": {
      ...honest,
      parents: ended("failed"),
      children: children.map((one) => (one.link === "kept_call" ? { ...one, status: "canceled" } : one)),
    },
  },
};

describe.each(Object.entries(doctored))("%s", (rule, cases) => {
  it.each(Object.entries(cases))("detects falsified facts: %s", (_, families) => {
    expect(broken(families)).toContain(rule);
  });
});
