import { describe, expect, it } from "vitest";
import type { Effect, Facts, Kill, StoredRun } from "./facts.ts";
import { checkFacts, type RuleName, rules } from "./rules.ts";
import { familyRules } from "./family-rules.ts";

const begin = (step: string, at: number, over: Partial<Effect> = {}): Effect => ({
  at,
  runId: "run_ship",
  workflow: "ship",
  step,
  phase: "begin",
  pid: 1,
  generation: 0,
  ...over,
});
const both = (step: string, at: number, over: Partial<Effect> = {}): Effect[] => [
  begin(step, at, over),
  begin(step, at + 5, { ...over, phase: "done" }),
];
const ofBill: Partial<Effect> = { runId: "run_bill", workflow: "bill" };
const kill = (at: number, over: Partial<Kill> = {}): Kill => ({ at, kind: "worker", generation: 0, pid: 1, ...over });

/** A paid order, acknowledged twice under one key; its worker was killed in `pack`, and another continued. */
const honest = (): Facts => ({
  orders: [
    {
      id: "c1-1",
      key: "key-c1-1",
      expected: ["bill-order:bill", "ship-order:ship"],
      answers: [
        { status: 503, runs: null },
        ...[1, 2].map(() => ({ status: 202, runs: { "bill-order:bill": "run_bill", "ship-order:ship": "run_ship" } })),
        { status: 202, runs: null },
      ],
    },
    { id: "c1-2", key: null, expected: ["take-note:note"], answers: [] },
  ],
  runs: [
    {
      id: "run_bill",
      orderId: "c1-1",
      attachmentId: "bill-order:bill",
      deliveryId: "dlv_1",
      status: "completed",
      recordedAt: 5,
    },
    {
      id: "run_ship",
      orderId: "c1-1",
      attachmentId: "ship-order:ship",
      deliveryId: "dlv_1",
      status: "completed",
      recordedAt: 5,
    },
  ],
  effects: [
    ...both("reserve", 10),
    ...both("charge", 20, ofBill),
    begin("pack", 30),
    ...both("pack", 50, { pid: 2 }),
    ...both("receipt", 60, { ...ofBill, pid: 2 }),
    ...both("send", 70, { pid: 2 }),
  ],
  kills: [kill(40), kill(45, { kind: "receiver", pid: 9 })],
  starts: [0],
  endedAt: 100,
});

it("facts of a correct service break no rule", () => {
  expect(checkFacts(honest())).toEqual([]);
});

it("a run may return to a late process if the process that had taken it over was killed", () => {
  const facts = honest();
  const back = [
    ...facts.effects.filter(({ step }) => step !== "send"),
    begin("send", 70, { pid: 2 }),
    ...both("send", 90),
  ];
  expect(checkFacts({ ...facts, effects: back, kills: [kill(40, { kind: "stop" }), kill(80, { pid: 2 })] })).toEqual(
    [],
  );
});

it("a cut of the network excuses a repeated step if it lasted longer than a lease", () => {
  const cut = kill(40, { kind: "network", pid: null, backAt: 20_000 });
  expect(checkFacts({ ...honest(), kills: [cut] })).toEqual([]);
  expect(checkFacts({ ...honest(), kills: [{ ...cut, backAt: 2_000 }] }).map(({ rule }) => rule)).toEqual([
    "a step is repeated only if a kill fell inside it",
  ]);
});

it("any process may wake a sleeping run, also one that had it before", () => {
  const facts = honest();
  const slept = [
    ...facts.effects.filter(({ step }) => step !== "charge" && step !== "receipt"),
    ...both("charge", 20, ofBill),
    ...both("charge", 50, { ...ofBill, pid: 2 }),
    ...both("receipt", 60, ofBill),
  ];
  expect(checkFacts({ ...facts, effects: slept, kills: [kill(30)] })).toEqual([]);
});

it("the run of a lost process may wait while the database is unavailable, or while its next processes are lost, too", () => {
  const facts = { ...honest(), takeOverWithinMs: 9 };
  expect(checkFacts({ ...facts, handBacks: [{ runId: "run_ship", at: 48 }] })).toEqual([]);
  const within = (more: Kill) => checkFacts({ ...facts, kills: [...facts.kills, more] }).map(({ rule }) => rule);
  expect(within(kill(42, { kind: "postgres", backAt: 43 }))).toEqual([]);
  expect(within(kill(44, { pid: 3 }))).toEqual([]);
  expect(within(kill(42, { kind: "connection" }))).toEqual(["what a lost process had goes on in time"]);
});

it("a due run may wait while there is no supervisor, and for the next worker after each kill", () => {
  const facts = honest();
  const [first, second] = facts.runs;
  if (!first || !second) throw new Error("the store has two runs");
  const waiting = { ...facts, runs: [{ ...first, recordedAt: -70_000 }, second] };
  const within = (change: Partial<Facts>) =>
    checkFacts({ ...waiting, ...change }).filter(({ rule }) => rule === "every due run starts in time");
  expect(within({})).toHaveLength(1);
  expect(within({ kills: [...facts.kills, kill(-65_000, { kind: "group" })] })).toEqual([]);
  expect(within({ kills: [...facts.kills, kill(-65_000, { kind: "block", pid: 7 })] })).toHaveLength(1);
  expect(within({ kills: [...facts.kills, ...[-50_000, -25_000].map((at) => kill(at, { pid: 7 }))] })).toEqual([]);
});

const [paid, note] = honest().orders;
if (!paid || !note) throw new Error("the ledger has two orders");
const runs = honest().runs;
const effects = honest().effects;

/** Two orders of one seat: the second one was sent when the first one had been acknowledged. */
function seated(steps: readonly (readonly [runId: string, step: string])[]): Facts {
  const orders = [1, 2].map((n) => ({
    id: `c2-${n}`,
    key: null,
    expected: ["take-seat:seat"],
    answers: [{ status: 202, runs: { "take-seat:seat": `run_${n}` } }],
    seat: "s1",
    times: { sentAt: n, acknowledgedAt: n + 0.5 },
  }));
  const stored = orders.map(({ id }, at) => ({
    id: `run_${at + 1}`,
    orderId: id,
    attachmentId: "take-seat:seat",
    deliveryId: `dlv_${at + 1}`,
    status: "completed",
  }));
  const did = steps.flatMap(([runId, step], at) => both(step, 100 + 10 * at, { runId, workflow: "seat" }));
  return { orders, runs: stored, effects: did, kills: [] };
}

const allSteps = (runId: string) => ["take", "use", "leave"].map((step) => [runId, step] as const);

it("runs of a key may start when the one before has ended", () => {
  expect(checkFacts(seated([...allSteps("run_1"), ...allSteps("run_2")]))).toEqual([]);
});

/** A purchase that was accepted at 2, with shipments that were sent and acknowledged at these times. */
function purchased(
  run: Partial<StoredRun>,
  shipments: Record<string, readonly [sentAt: number, acknowledgedAt: number | null]>,
): Facts {
  const [orderId, runId] = ["c3-1", "run_1"];
  const order = {
    id: orderId,
    key: `key-${orderId}`,
    expected: ["follow-purchase:follow"],
    answers: [{ status: 202, runs: { "follow-purchase:follow": runId } }],
    times: { sentAt: 1, acknowledgedAt: 2 },
    waitMs: 100,
  };
  const stored = {
    id: runId,
    orderId,
    attachmentId: "follow-purchase:follow",
    deliveryId: "dlv_1",
    status: "completed",
    shipmentId: null,
    ...run,
  };
  return {
    orders: [order],
    shipments: Object.entries(shipments).map(([id, [sentAt, acknowledgedAt]]) => ({
      id,
      orderId: id.startsWith("other") ? "c3-2" : orderId,
      key: null,
      times: { sentAt, acknowledgedAt },
      answers: acknowledgedAt === null ? [] : [{ status: 200, runs: null }],
    })),
    runs: [stored],
    effects: ["open", "track", "close"].flatMap((step, at) => both(step, 10 + 10 * at, { runId, workflow: "follow" })),
    kills: [],
  };
}

it("a run may have either of two shipments that were sent at the same time", () => {
  const atOnce = { p1: [3, 6], p2: [4, 5], p3: [7, 8] } as const;
  expect(checkFacts(purchased({ shipmentId: "p1" }, atOnce))).toEqual([]);
  expect(checkFacts(purchased({ shipmentId: "p2" }, atOnce))).toEqual([]);
});

it("a shipment that is sent with its order may be missed, and so may one that is acknowledged late", () => {
  expect(checkFacts(purchased({ shipmentId: null }, { p1: [1.5, 3], p2: [50, 102], p3: [50, null] }))).toEqual([]);
  expect(checkFacts(purchased({ shipmentId: "p1" }, { p1: [1.5, 3], p2: [4, 5] }))).toEqual([]);
  expect(checkFacts(purchased({ shipmentId: "p2" }, { p1: [1.5, 3], p2: [4, 5] }))).toEqual([]);
});

it("a run fails or is canceled if its order says so, without all its effects", () => {
  const facts = honest();
  const ended = (ending: "failed" | "canceled") => ({
    ...facts,
    orders: facts.orders.map((order) => ({ ...order, ending })),
    runs: facts.runs.map((run) => ({ ...run, status: ending })),
    effects: facts.effects.slice(0, 2),
  });
  for (const ending of ["failed", "canceled"] as const) expect(checkFacts(ended(ending))).toEqual([]);
  expect(checkFacts({ ...ended("failed"), runs }).map(({ rule }) => rule)).toContain("every run ends");
});

/** `family-rules.test.ts` has the others. */
const doctored: Record<Exclude<RuleName, keyof typeof familyRules>, Record<string, Partial<Facts>>> = {
  "something was audited": { "nobody was answered": { orders: [note], runs: [], effects: [] } },
  "who asks again is answered": {
    "not for a shipment": {
      shipments: [
        { id: "p1", orderId: "c1-1", key: "key-p1", times: { sentAt: 1, acknowledgedAt: null }, answers: [] },
      ],
    },
    "a shipment as if it were wrong": {
      shipments: [
        {
          id: "p1",
          orderId: "c1-1",
          key: null,
          times: { sentAt: 1, acknowledgedAt: null },
          answers: [{ status: 422, runs: null }],
        },
      ],
    },
    never: { orders: [{ ...paid, answers: [] }] },
    "as if it were wrong": { orders: [{ ...paid, answers: [...paid.answers, { status: 422, runs: null }] }] },
  },
  "every 202 has exactly one run for each matching trigger": {
    "a run is missing": { runs: runs.slice(1) },
    "all are missing": { runs: [] },
    "there is one too many": {
      runs: [...runs, ...runs.slice(0, 1).map((run) => ({ ...run, id: "run_more", deliveryId: "dlv_2" }))],
    },
    "the answer names a run that is not there": {
      orders: [
        { ...paid, answers: [{ status: 202, runs: { "bill-order:bill": "run_gone", "ship-order:ship": "run_ship" } }] },
      ],
    },
    "the answer leaves one out": {
      orders: [{ ...paid, answers: [{ status: 202, runs: { "ship-order:ship": "run_ship" } }] }],
    },
  },
  "no idempotency key has two runs of a trigger": {
    "two deliveries were recorded": {
      runs: [...runs, ...runs.map((run) => ({ ...run, id: `${run.id}_2`, deliveryId: "dlv_2" }))],
    },
    "two answers differ": {
      orders: [
        {
          ...paid,
          answers: [
            ...paid.answers,
            { status: 202, runs: { "bill-order:bill": "run_other", "ship-order:ship": "run_ship" } },
          ],
        },
      ],
    },
  },
  "a delivery's runs are recorded together or not at all": {
    "half of one that nobody was told of": { orders: [{ ...paid, answers: [] }], runs: runs.slice(1) },
    "one of nobody": {
      runs: [
        ...runs,
        { id: "run_x", orderId: "c9-9", attachmentId: "take-note:note", deliveryId: "dlv_9", status: "completed" },
      ],
    },
  },
  "every run ends": Object.fromEntries(
    ["queued", "running", "waiting", "failed"].map((status) => [
      status,
      { runs: runs.map((run) => ({ ...run, status })) },
    ]),
  ),
  "every acknowledged run has all its effects": {
    "the last step was begun only": { effects: effects.slice(0, -1) },
    "a step was skipped": { effects: effects.filter(({ step }) => step !== "pack") },
  },
  "a step is repeated only if a kill fell inside it": {
    "nobody killed": { kills: [] },
    "only web was killed": { kills: [kill(40, { kind: "web" })] },
    "only the receiver was killed": { kills: [kill(40, { kind: "receiver" })] },
    "another worker was killed": { kills: [kill(40, { pid: 3 })] },
    "it was killed afterwards": { kills: [kill(55)] },
    "another start of the service was killed": { kills: [kill(40, { kind: "group", pid: null, generation: 1 })] },
    "it had been stopped once, long before": {
      effects: [
        ...effects.slice(0, 4),
        begin("pack", 5_000),
        ...both("pack", 5_050, { pid: 2 }),
        ...both("send", 5_070, { pid: 2 }),
      ],
      kills: [kill(40, { kind: "stop" })],
    },
    "the same process did it twice": { effects: [...effects, begin("send", 80, { pid: 2 })] },
  },
  "no step starts after the next one did": {
    "from the start again": {
      effects: [...effects, begin("reserve", 80, { pid: 3 })],
      kills: [...honest().kills, kill(40, { kind: "group", pid: null })],
    },
  },
  "what a lost process had goes on in time": {
    "it took longer": { takeOverWithinMs: 9 },
    "it was taken from it late": { takeOverWithinMs: 8, handBacks: [{ runId: "run_ship", at: 49 }] },
    "the database was away before only": {
      takeOverWithinMs: 9,
      kills: [...honest().kills, kill(20, { kind: "postgres", backAt: 25 })],
    },
  },
  "every due run starts in time": {
    "it waited for a worker that was not killed": {
      runs: runs.map((run) => ({ ...run, recordedAt: -31_000 })),
      starts: [-60_000],
    },
    "it never started": { effects: effects.filter(({ runId }) => runId !== "run_bill"), endedAt: 31_000 },
    "code blocked the worker, which was not killed": {
      effects: effects.filter(({ runId }) => runId !== "run_bill"),
      kills: [...honest().kills, kill(50, { kind: "block" })],
      endedAt: 31_000,
    },
  },
  "runs of a key are never in progress at the same time": {
    "they overlap": seated([
      ["run_1", "take"],
      ["run_2", "take"],
      ["run_1", "use"],
      ["run_1", "leave"],
      ["run_2", "use"],
      ["run_2", "leave"],
    ]),
  },
  "runs of a key start in the order in which they were accepted": {
    "the second one was first": seated([...allSteps("run_2"), ...allSteps("run_1")]),
  },
  "a wait and its event are never both in the store while the run sleeps": {
    "it sleeps": purchased({ status: "waiting" }, { p1: [3, 4] }),
    "it has timed out": purchased({}, { p1: [3, 100] }),
  },
  "a run that waits has the first event that is for it": {
    "that of another order": purchased({ shipmentId: "other" }, { p1: [3, 4], other: [3, 4] }),
    "one from before": purchased({ shipmentId: "p0" }, { p0: [0, 0.5], p1: [3, 4] }),
    "the second one": purchased({ shipmentId: "p2" }, { p1: [3, 4], p2: [5, 6] }),
  },
  "no process outlives its supervisor": {
    "web holds the port": { kills: [...honest().kills, kill(80, { kind: "supervisor", pid: null, outlivedBy: [9] })] },
  },
  "a process begins nothing of a run that another has taken over": {
    "the late one goes on": { effects: [...effects, begin("send", 80)] },
    "it was stopped, and goes on": { effects: [...effects, begin("send", 80)], kills: [kill(40, { kind: "stop" })] },
  },
};

describe.each(Object.entries(doctored))("%s", (rule, cases) => {
  it.each(Object.entries(cases))("detects falsified facts: %s", (_, change) => {
    expect(checkFacts({ ...honest(), ...change }).map((violation) => violation.rule)).toContain(rule);
  });
});

it("every rule has falsified facts", () => {
  expect([...Object.keys(doctored), ...Object.keys(familyRules)].toSorted()).toEqual(Object.keys(rules).toSorted());
});

it("a run whose attempt has failed may return to an earlier process", () => {
  const ofSeat = { runId: "run_seat", workflow: "seat" };
  const seat = [begin("take", 31, ofSeat), ...both("take", 51, { ...ofSeat, pid: 2 }), ...both("use", 61, ofSeat)];
  const broken = checkFacts({ ...honest(), effects: [...honest().effects, ...seat, ...both("leave", 71, ofSeat)] });
  expect(broken.map(({ rule }) => rule)).not.toContain("a process begins nothing of a run that another has taken over");
});
