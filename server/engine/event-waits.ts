import type { Json } from "../contract/json.ts";
import { readEventResult } from "../domain/runs/event-waits.ts";
import type { StepRecord } from "../ports/store/engine-store.ts";
import type { ExecutionOptions } from "./steps/step-tries.ts";
import { type ContextRules, never, type OpenWait } from "./steps/suspension.ts";
import {
  type AwaitedEvent,
  payloadOf,
  readAllAwaited,
  readAwaited,
  readOptions,
  readWaitTimes,
  type WaitTimes,
} from "./wait-request.ts";

type Options = Pick<ExecutionOptions, "run" | "session" | "clock" | "code">;

/** `ctx.waitFor` and `ctx.waitForAny`. */
export function createEventWaits({ run, session, clock, code }: Options, rules: ContextRules) {
  const { attempt } = run;
  const openWaits: OpenWait[] = [];

  /** Suspends the run until a delivery matches one of the events, or until the wait times out. */
  async function waitForEvents(
    call: string,
    name: string,
    { events, timeoutMs, since }: { events: readonly AwaitedEvent[] } & WaitTimes,
  ): Promise<{ name: string; event: Json } | null> {
    const { key, known, open } = rules.begin(call, name, "event");
    if (!known || known.finishedAt === null) {
      const record = known ?? beginWait(key, events, timeoutMs);
      const until = record.until ?? record.startedAt;
      openWaits.push({
        record,
        events: events.map(({ branch, source, match }) => ({
          step: key,
          branch,
          source: source.slug,
          match,
          since,
          until,
        })),
      });
      rules.considerSuspending();
      return await never();
    }
    await rules.completeStored(open, known, known.finishedAt);
    const result = readEventResult(known.result);
    const awaited = result && events.find(({ branch }) => branch === result.branch);
    return result && awaited ? { name: result.branch, event: payloadOf(result, awaited.source) } : null;
  }

  /** Stored only when the run is suspended: a search then finds what was received meanwhile. */
  function beginWait(key: string, events: readonly AwaitedEvent[], timeoutMs: number): StepRecord {
    const startedAt = clock.now();
    const until = startedAt + timeoutMs;
    const data = { events: events.map(({ source, match }) => ({ source: source.slug, match })) };
    session.note({ entries: [{ at: startedAt, kind: "wait_started", attempt, name: key, until, data }] });
    return { name: key, kind: "event", attempt, startedAt, finishedAt: null, until, result: null, sequence: null };
  }

  return {
    openWaits,
    async waitFor(name: string, source: unknown, given: unknown = {}): Promise<Json> {
      if (!rules.isOpen()) return await never();
      const call = `ctx.waitFor(${JSON.stringify(name)}, …)`;
      const wanted = readOptions(call, given, ["match", "timeout", "since"]);
      const event = readAwaited(call, "", { source, match: wanted["match"] }, code.manifest);
      const times = readWaitTimes(call, wanted, { acceptedAt: run.createdAt });
      return (await waitForEvents(call, name, { events: [event], ...times }))?.event ?? null;
    },
    async waitForAny(name: string, given: unknown, more: unknown = {}): Promise<{ name: string; event: Json } | null> {
      if (!rules.isOpen()) return await never();
      const call = `ctx.waitForAny(${JSON.stringify(name)}, …)`;
      const wanted = readOptions(call, more, ["timeout", "since"]);
      const events = readAllAwaited(call, given, code.manifest);
      const times = readWaitTimes(call, wanted, { acceptedAt: run.createdAt });
      return await waitForEvents(call, name, { events, ...times });
    },
  };
}
