import {
  type Effect,
  type Facts,
  isAcknowledged,
  type Kill,
  type Order,
  type RequestTimes,
  type Shipment,
} from "./facts.ts";
import { isSleepBefore, mayReturnBefore, seatAttachment, stepsOf } from "./audited-project.ts";
import { familyRules } from "./family-rules.ts";

export interface Violation {
  rule: string;
  what: string;
}

/** Each returns descriptions of the violations. Pure: an audit can be checked again from its facts. */
export const rules = {
  "something was audited": (facts: Facts) => [
    ...(facts.orders.some(isAcknowledged) ? [] : ["no order was acknowledged"]),
    ...(facts.effects.length > 0 ? [] : ["no step was executed"]),
  ],

  "who asks again is answered": (facts: Facts) => [
    ...[...facts.orders.filter((order) => !isAcknowledged(order)), ...(facts.shipments ?? []).filter(isUnanswered)]
      .filter(({ key }) => key !== null)
      .map(({ id, answers }) => `${id} was never acknowledged: ${list(answers.map(({ status }) => String(status)))}`),
    ...facts.orders.flatMap(({ id, answers }) =>
      answers
        .filter(({ status }) => status !== 202 && status !== 503)
        .map(({ status }) => `${id} was answered with ${status}`),
    ),
    // If no run waits for it, it is skipped with 200.
    ...(facts.shipments ?? []).flatMap(({ id, answers }) =>
      answers
        .filter(({ status }) => status !== 200 && status !== 202 && status !== 503)
        .map(({ status }) => `${id} was answered with ${status}`),
    ),
  ],

  "every 202 has exactly one run for each matching trigger": (facts: Facts) => {
    const runsOf = Map.groupBy(facts.runs, ({ orderId }) => orderId);
    const stored = new Map(facts.runs.map((run) => [run.id, run]));
    return facts.orders.filter(isAcknowledged).flatMap((order) => {
      const attachments = (runsOf.get(order.id) ?? []).map(({ attachmentId }) => attachmentId).sort();
      const found = isSame(attachments, order.expected)
        ? []
        : [`${order.id} was acknowledged for ${list(order.expected)}, and the store has ${list(attachments)}`];
      const named = order.answers.flatMap(({ status, runs }) => (status === 202 && runs ? [runs] : []));
      const wrong = named
        .filter((runs) => !isSame(Object.keys(runs).sort(), order.expected))
        .map((runs) => `${order.id}: the answer names runs of ${list(Object.keys(runs))}`);
      const lost = named
        .flatMap(Object.entries)
        .filter(
          ([attachmentId, id]) => stored.get(id)?.attachmentId !== attachmentId || stored.get(id)?.orderId !== order.id,
        );
      return [
        ...found,
        ...wrong,
        ...lost.map(
          ([attachmentId, id]) => `${order.id}: ${id} was promised for ${attachmentId}, and the store does not have it`,
        ),
      ];
    });
  },

  "no idempotency key has two runs of a trigger": (facts: Facts) => {
    const runsOf = Map.groupBy(facts.runs, ({ orderId }) => orderId);
    return facts.orders
      .filter(({ key }) => key !== null)
      .flatMap((order) => {
        const byAttachment = Map.groupBy(runsOf.get(order.id) ?? [], ({ attachmentId }) => attachmentId);
        const doubled = [...byAttachment]
          .filter(([, runs]) => runs.length > 1)
          .map(
            ([attachmentId, runs]) =>
              `${order.key} has ${runs.length} runs of ${attachmentId}: ${list(runs.map(({ id }) => id))}`,
          );
        const answers = new Set(
          order.answers.flatMap(({ status, runs }) =>
            status === 202 && runs ? [JSON.stringify(Object.entries(runs).sort())] : [],
          ),
        );
        return answers.size > 1
          ? [...doubled, `${order.key} was answered with different runs: ${[...answers].join(" and ")}`]
          : doubled;
      });
  },

  "a delivery's runs are recorded together or not at all": (facts: Facts) => {
    const orders = new Map(facts.orders.map((order) => [order.id, order]));
    return [...Map.groupBy(facts.runs, ({ deliveryId }) => deliveryId)].flatMap(([deliveryId, runs]) => {
      const expected = orders.get(runs[0]?.orderId ?? "")?.expected;
      const attachments = runs.map(({ attachmentId }) => attachmentId).sort();
      if (!expected) return [`${deliveryId} is of no order that a client has sent`];
      return isSame(attachments, expected)
        ? []
        : [`${deliveryId} has runs of ${list(attachments)} where ${list(expected)} match`];
    });
  },

  "every run ends": (facts: Facts) => {
    const endings = endingsOf(facts);
    return facts.runs
      .filter(({ orderId, status }) => status !== (endings.get(orderId) ?? "completed"))
      .map(({ id, attachmentId, status }) => `${id} of ${attachmentId} is ${status}`);
  },

  "every acknowledged run has all its effects": (facts: Facts) => {
    const acknowledged = new Set(facts.orders.filter(isAcknowledged).map(({ id }) => id));
    const done = new Set(
      facts.effects.filter(({ phase }) => phase === "done").map(({ runId, step }) => `${runId} ${step}`),
    );
    const endings = endingsOf(facts);
    return facts.runs
      .filter(({ orderId }) => acknowledged.has(orderId) && !endings.has(orderId))
      .flatMap(({ id, attachmentId }) => {
        const missing = stepsOfAttachment(attachmentId).filter((step) => !done.has(`${id} ${step}`));
        return missing.length > 0 ? [`${id} of ${attachmentId} never did ${list(missing)}`] : [];
      });
  },

  "a step is repeated only if a kill fell inside it": (facts: Facts) =>
    [...Map.groupBy(begins(facts), ({ runId, step }) => `${runId} ${step}`)].flatMap(([name, executions]) =>
      executions.flatMap((again, index) => {
        const before = executions[index - 1];
        if (!before || wasKilled(facts, before, again)) return [];
        return [
          `${name} was begun by process ${before.pid}, that nobody killed, and again by ${again.pid} ${Math.round(again.at - before.at)} ms later`,
        ];
      }),
    ),

  "no step starts after the next one did": (facts: Facts) =>
    [...Map.groupBy(begins(facts), ({ runId }) => runId)].flatMap(([runId, effects]) => {
      let furthest = -1;
      return effects.flatMap(({ workflow, step, pid }) => {
        const steps = stepsOf[workflow] ?? [];
        const place = steps.indexOf(step);
        if (place < furthest)
          return [`${runId}: ${step} was begun by process ${pid} after ${steps[furthest]} had been`];
        furthest = place;
        return [];
      });
    }),

  "what a lost process had goes on in time": (facts: Facts) =>
    listTakeOvers(facts)
      .filter(({ ms, withinMs }) => ms > withinMs)
      .map(
        ({ runId, step, ms, withinMs }) =>
          `${runId} went on with ${step} ${Math.round(ms)} ms after its process was lost, and others had ${Math.round(withinMs)} ms`,
      ),

  "every due run starts in time": (facts) => {
    const begunAt = firstBegins(facts);
    const endings = endingsOf(facts);
    return facts.runs.flatMap(({ id, orderId, attachmentId, recordedAt }) => {
      // It may be canceled before it starts.
      if (endings.get(orderId) === "canceled") return [];
      const until = begunAt.get(id) ?? facts.endedAt;
      // These wait for the others with their key.
      if (attachmentId === seatAttachment) return [];
      if (facts.starts === undefined || recordedAt === undefined || until === undefined) return [];
      const waitedMs = maxWait(facts, recordedAt, until);
      return waitedMs <= startWithinMs
        ? []
        : [`${id} of ${attachmentId} was due for ${Math.round(waitedMs)} ms while a worker could have executed it`];
    });
  },

  "runs of a key are never in progress at the same time": (facts: Facts) =>
    [...runsBySeat(facts)].flatMap(([key, runs]) => {
      const keyed = new Set(runs.map(({ runId }) => runId));
      const over = new Set<string>();
      let current: string | undefined;
      return begins(facts)
        .filter(({ runId }) => keyed.has(runId))
        .flatMap(({ runId, step }) => {
          if (runId === current) return [];
          if (current !== undefined) over.add(current);
          const other = current;
          current = runId;
          return over.has(runId) ? [`${key}: ${runId} began ${step} after ${other} had begun`] : [];
        });
    }),

  "runs of a key start in the order in which they were accepted": (facts: Facts) => {
    const begunAt = firstBegins(facts);
    return [...runsBySeat(facts)].flatMap(([key, runs]) =>
      runs.flatMap((later) =>
        runs
          .filter((earlier) => isBefore(earlier, later))
          .filter((earlier) => (begunAt.get(earlier.runId) ?? Infinity) > (begunAt.get(later.runId) ?? Infinity))
          .map(
            (earlier) =>
              `${key}: ${later.runId} started before ${earlier.runId}, which was accepted before it was sent`,
          ),
      ),
    );
  },

  "a wait and its event are never both in the store while the run sleeps": (facts: Facts) =>
    listWaits(facts).flatMap(({ run, order, shipments }) => {
      if (typeof run.shipmentId === "string") return [];
      const { sentAt } = order.times;
      const missed = shipments.find(({ times }) => {
        const { acknowledgedAt } = times;
        return isBefore(order.times, times) && acknowledgedAt !== null && acknowledgedAt < sentAt + order.waitMs;
      });
      if (!missed) return [];
      const state = run.status === "completed" ? "has timed out" : `is ${run.status}`;
      return [`${run.id} of ${order.id} ${state}, although ${missed.id} was acknowledged in time`];
    }),

  "a run that waits has the first event that is for it": (facts: Facts) =>
    listWaits(facts).flatMap(({ run, order, shipments }) => {
      if (typeof run.shipmentId !== "string") return [];
      const event = shipments.find(({ id }) => id === run.shipmentId);
      if (!event) return [`${run.id} of ${order.id} has ${run.shipmentId}, which was not for it`];
      if (isBefore(event.times, order.times))
        return [`${run.id} has ${event.id}, which was acknowledged before ${order.id} was sent`];
      return shipments
        .filter(({ times }) => isBefore(order.times, times) && isBefore(times, event.times))
        .map(({ id }) => `${run.id} has ${event.id}, and ${id} was acknowledged before that was sent`);
    }),

  ...familyRules,

  "no process outlives its supervisor": ({ kills }: Facts) =>
    kills.flatMap(({ generation, outlivedBy = [] }) =>
      outlivedBy.map(
        (pid) => `process ${pid} was still there long after the supervisor of start ${generation} had been killed`,
      ),
    ),

  "a process begins nothing of a run that another has taken over": (facts: Facts) =>
    [...Map.groupBy(begins(facts), ({ runId }) => runId)].flatMap(([runId, effects]) => {
      let holder: Effect | undefined;
      let past: Effect[] = [];
      return effects.flatMap((effect) => {
        const before = holder;
        if (mayReturnBefore(effect) && before?.step !== effect.step) {
          past = [];
          holder = effect;
          return [];
        }
        // It may have received it back from a killed process.
        const isLate =
          past.some((other) => isSameProcess(other, effect)) &&
          before &&
          !isSameProcess(before, effect) &&
          !wasKilled(facts, before, effect);
        if (isLate)
          return [`${runId}: ${effect.step} was begun by process ${effect.pid} after ${before.pid} had taken over`];
        if (before && !isSameProcess(before, effect)) past.push(before);
        holder = effect;
        return [];
      });
    }),
} satisfies Record<string, (facts: Facts) => string[]>;

/** Code that blocks the only worker delays runs by 15 seconds, and by the start of the next worker. */
const startWithinMs = 30_000;

/**
 * The longest time within which a worker could have executed a run: a kill, or code that blocks the worker, begins a
 * new one. Without a supervisor there is no worker until the next start.
 */
function maxWait({ kills, starts = [] }: Facts, since: number, until: number): number {
  let from = since;
  let maxMs = 0;
  const marks = [
    ...kills.map(({ at, kind }) => ({ at, kind })),
    ...starts.map((at) => ({ at, kind: "start" as const })),
  ];
  let isDown = false;
  for (const { at, kind } of marks.sort((a, b) => a.at - b.at)) {
    if (at > until) break;
    if (at > since && !isDown) maxMs = Math.max(maxMs, at - from);
    from = Math.max(at, since);
    isDown = kind === "start" ? false : isDown || kind === "group" || kind === "supervisor";
  }
  return isDown ? maxMs : Math.max(maxMs, until - from);
}

export type RuleName = keyof typeof rules;

export function checkFacts(facts: Facts): Violation[] {
  return Object.entries(rules).flatMap(([rule, check]) => check(facts).map((what) => ({ rule, what })));
}

/** Maximum time from the decision to stop a process until it is stopped, ms. */
const signalDelayMs = 250;

export interface TakeOver {
  runId: string;
  step: string;
  /**
   * The time from the loss of its process until another process takes it over, or until its next progress. The wait for
   * a free slot afterwards does not count.
   */
  ms: number;
  /**
   * The maximum time for that. The next process may have been lost as well, and no process can take over while the
   * database is unavailable.
   */
  withinMs: number;
}

/** Empty if no machine continues. */
export function listTakeOvers({ effects, kills, takeOverWithinMs, handBacks = [] }: Facts): TakeOver[] {
  if (takeOverWithinMs === undefined) return [];
  return [...Map.groupBy(effects, ({ runId }) => runId)].flatMap(([runId, unsorted]) => {
    const sorted = unsorted.toSorted((a, b) => a.at - b.at);
    return sorted.flatMap((after, index) => {
      const before = sorted[index - 1];
      const kill = before && kills.find((one) => hits(one, before) && one.at >= before.at && one.at <= after.at);
      // A sleeping run belongs to no process.
      if (!kill || (isSleepBefore(after) && before.step !== after.step)) return [];
      const at = Math.min(
        after.at,
        ...handBacks.filter((one) => one.runId === runId && one.at >= kill.at).map((one) => one.at),
      );
      const meanwhile = kills.filter((one) => one !== kill && one.at >= kill.at - takeOverWithinMs && one.at <= at);
      const outages = meanwhile
        .filter(({ kind }) => kind === "postgres")
        .map(({ at, backAt = at }) => backAt - at + takeOverWithinMs);
      const losses = meanwhile.filter((one) => takesRuns(one) && one.at > kill.at).length;
      const withinMs = takeOverWithinMs * (1 + losses) + outages.reduce((sum, ms) => sum + ms, 0);
      return [{ runId, step: after.step, ms: at - kill.at, withinMs }];
    });
  });
}

/** Leases are renewed so often that they outlast a shorter network failure. */
const cutThatTakesRunsMs = 5_000;

function takesRuns({ kind, at, backAt = Number.POSITIVE_INFINITY }: Kill): boolean {
  if (kind === "network") return backAt - at > cutThatTakesRunsMs;
  return kind !== "receiver" && kind !== "web" && kind !== "postgres" && kind !== "connection";
}

/**
 * Whether the process that executed this step was killed before the other began. A kill of the receiver or of the web
 * process affects no run.
 */
function wasKilled({ kills }: Facts, step: Effect, other: Effect): boolean {
  return kills.some((kill) => hits(kill, step) && kill.at <= other.at);
}

function hits(kill: Kill, { generation, pid, at }: Effect): boolean {
  if (!takesRuns(kill) || kill.generation !== generation || (kill.pid !== null && kill.pid !== pid)) return false;
  // Its process continues, but cannot record its progress meanwhile.
  if (kill.kind === "network") return kill.backAt === undefined || at <= kill.backAt;
  // A stopped process continues later: steps that it began then do not count.
  return kill.kind !== "stop" || kill.at > at - signalDelayMs;
}

const isSameProcess = (a: Effect, b: Effect) => a.pid === b.pid && a.generation === b.generation;

const begins = (facts: Facts) => facts.effects.filter(({ phase }) => phase === "begin").sort((a, b) => a.at - b.at);
/** When each run began its first step. */
const firstBegins = (facts: Facts) =>
  new Map(
    begins(facts)
      .map(({ runId, at }): [string, number] => [runId, at])
      .reverse(),
  );

/** How the runs of some orders must end. */
const endingsOf = ({ orders }: Facts) =>
  new Map(orders.flatMap(({ id, ending }) => (ending === undefined ? [] : [[id, ending] as const])));

/** The runs of each key, with the times of their orders. */
function runsBySeat({ orders, runs }: Facts) {
  const seatOf = new Map(
    orders.flatMap(({ id, seat: key, times }) =>
      key !== undefined && times ? [[id, { key, ...times }] as const] : [],
    ),
  );
  const keyed = runs.flatMap(({ id: runId, orderId }) => {
    const seat = seatOf.get(orderId);
    return seat ? [{ runId, ...seat }] : [];
  });
  return Map.groupBy(keyed, ({ key }) => key);
}

/** The runs that wait for shipments, with those that were sent for them. */
function listWaits({ orders, shipments = [], runs }: Facts) {
  const waiting = new Map(orders.flatMap((order) => (isWaiting(order) ? [[order.id, order] as const] : [])));
  const sent = Map.groupBy(shipments, ({ orderId }) => orderId);
  return runs.flatMap((run) => {
    const order = waiting.get(run.orderId);
    return order ? [{ run, order, shipments: sent.get(order.id) ?? [] }] : [];
  });
}

function isWaiting(order: Order): order is Order & Required<Pick<Order, "times" | "waitMs">> {
  return order.times !== undefined && order.waitMs !== undefined;
}

/** Whether a request was acknowledged before another was sent. */
function isBefore({ acknowledgedAt }: RequestTimes, other: RequestTimes): boolean {
  return acknowledgedAt !== null && acknowledgedAt < other.sentAt;
}

const isUnanswered = ({ times }: Shipment) => times.acknowledgedAt === null;

const stepsOfAttachment = (attachmentId: string) => stepsOf[attachmentId.split(":")[1] ?? ""] ?? [];
const isSame = (a: readonly string[], b: readonly string[]) => a.join() === b.join();
const list = (texts: readonly string[]) => (texts.length > 0 ? texts.join(", ") : "nothing");
