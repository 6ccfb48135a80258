import { z } from "zod";
import { z as z3 } from "zod/v3";
import {
  defineWorkflow,
  type FailedRun,
  type Jsonify,
  NonRetryableError,
  RetryAfterError,
  type RetryOptions,
  StepError,
  type Workflow,
  type WorkflowContext,
} from "signalbox/workflow";
import { type Equal, expectTrue } from "../testing/exact-type.ts";

// `run` receives the output type of `input` and returns the input type of `output`.
const ship = defineWorkflow({
  slug: "ship",
  input: z.object({ to: z.email(), copies: z.number().default(1) }),
  output: z.object({ status: z.enum(["sent", "held"]), parcels: z.array(z.string()), at: z.string().default("now") }),
  retries: { attempts: 5, backoff: "fixed", initialDelay: "250ms", maxDelay: 10_000 },
  timeout: "5m",
  concurrency: 2,
  maxQueued: 500,
  async run(input, ctx) {
    expectTrue<Equal<typeof input, { to: string; copies: number }>>();
    expectTrue<Equal<typeof ctx, WorkflowContext>>();
    if (input.copies === 0) return { status: "held", parcels: [] };
    const parcels = await ctx.step("pack", () => [input.to]);
    expectTrue<Equal<typeof parcels, string[]>>();
    return { status: "sent", parcels };
  },
});
expectTrue<
  Equal<
    typeof ship,
    Workflow<
      "ship",
      { to: string; copies?: number | undefined },
      { status: "sent" | "held"; parcels: string[]; at: string }
    >
  >
>();

// Without `output`, `run` can return anything or nothing.
const free = defineWorkflow({ slug: "free", input: z3.string(), run: async (input) => input.length });
expectTrue<Equal<typeof free, Workflow<"free", string, number>>>();
const silent = defineWorkflow({ slug: "silent", input: z.null(), run() {} });
expectTrue<Equal<typeof silent, Workflow<"silent", null, void>>>();

// `concurrency` is a number, or limits for all runs and for the runs of each key.
defineWorkflow({ slug: "keyed", input: z.unknown(), concurrency: { perKey: 1 }, run() {} });
defineWorkflow({
  slug: "keyed",
  input: z.unknown(),
  concurrency: { limit: 10, perKey: 1, whileWaiting: "release", onFailure: "block" },
  run() {},
});
// @ts-expect-error -- a duration is no limit
defineWorkflow({ slug: "keyed", input: z.unknown(), concurrency: "10s", run() {} });
// @ts-expect-error -- not an option
defineWorkflow({ slug: "keyed", input: z.unknown(), concurrency: { perkey: 1 }, run() {} });
// @ts-expect-error -- not one of its values
defineWorkflow({ slug: "keyed", input: z.unknown(), concurrency: { perKey: 1, onFailure: "stop" }, run() {} });

defineWorkflow({
  slug: "context",
  input: z.unknown(),
  async run(_input, { run, step, sleep, sleepUntil, log, signal }) {
    expectTrue<
      Equal<
        { [K in keyof typeof run]: (typeof run)[K] },
        {
          readonly id: string;
          readonly attempt: number;
          readonly trigger: string | null;
          readonly deliveryId: string | null;
        }
      >
    >();
    const made = await step("make", async ({ idempotencyKey, signal }) => ({
      key: idempotencyKey,
      isOver: signal.aborted,
    }));
    expectTrue<Equal<typeof made, { key: string; isOver: boolean }>>();
    expectTrue<Equal<Awaited<ReturnType<typeof loadOrder>>, { at: string; note?: string }>>();
    expectTrue<Equal<Awaited<ReturnType<typeof silentStep>>, null>>();
    await step("make", { retries: 4, backoff: "fixed", initialDelay: "2s", maxDelay: 9_000, timeout: "10s" }, () => 1);
    // @ts-expect-error a step has retries, not attempts
    await step("make", { attempts: 3 }, () => 1);
    // @ts-expect-error the number of retries, not the retries of a workflow
    await step("make", { retries: { attempts: 3 } }, () => 1);
    // @ts-expect-error the options come before the function
    await step("make", () => 1, { retries: 1 });
    await sleep("rest", "1.5h");
    await sleep("rest", 250);
    log.debug("a");
    log.info("b", { made });
    log.warn("c", [1]);
    log.error("d", null);
    signal.throwIfAborted();
    await sleepUntil("midnight", new Date());
    await sleepUntil("midnight", "2026-01-31T12:00:00Z");
    // @ts-expect-error a number is a duration, not a time
    await sleepUntil("midnight", 1_800_000_000_000);
    // @ts-expect-error weeks are no unit
    await sleep("rest", "2w");
    // @ts-expect-error a step has a name
    await step(() => 1);
    // @ts-expect-error and something to do
    await step("nothing");
    // @ts-expect-error `attempt` is given, not taken
    run.attempt = 2;
  },
});

defineWorkflow({
  slug: "fails",
  input: z.object({ to: z.email(), copies: z.number().default(1) }),
  run: (input) => input.copies,
  async onFailure(run, ctx) {
    expectTrue<Equal<typeof run, FailedRun<{ to: string; copies: number }>>>();
    expectTrue<Equal<typeof run.input, { to: string; copies: number } | null>>();
    expectTrue<Equal<typeof run.status, "failed" | "timed_out">>();
    expectTrue<Equal<typeof ctx, WorkflowContext>>();
    await ctx.step("report", () => run.error.message);
    // @ts-expect-error the failed run does not change
    run.attempts = 2;
  },
});
defineWorkflow({
  slug: "fails",
  input: z.string(),
  run() {},
  // @ts-expect-error onFailure is a function
  onFailure: "mail",
});
// The result of a step has the type of what is stored.
const loadOrder = (ctx: WorkflowContext) =>
  ctx.step("load", { timeout: "10s" }, async () => ({ at: new Date(), note: undefined as string | undefined }));
const silentStep = (ctx: WorkflowContext) => ctx.step("notify", async () => {});
const passOn = <T>(ctx: WorkflowContext, fn: () => Promise<T>): Promise<Jsonify<T>> => ctx.step("pass on", fn);
expectTrue<Equal<ReturnType<typeof passOn<Date>>, Promise<string>>>();

export const retryAfterErrors = [
  new RetryAfterError("busy", 30),
  new RetryAfterError("busy", new Date(), { cause: new NonRetryableError("no") }),
  new RetryAfterError("busy", new Headers().get("retry-after")),
  // @ts-expect-error a time is required, even if it is unknown
  new RetryAfterError("busy"),
];
const describeFailure = (error: unknown) => (error instanceof StepError ? `${error.step} ${error.tries}` : "");
expectTrue<Equal<ReturnType<typeof describeFailure>, string>>();

expectTrue<Equal<RetryOptions["backoff"], "exponential" | "fixed" | undefined>>();

defineWorkflow({
  slug: "wrong-output",
  input: z.string(),
  output: z.object({ messageId: z.string() }),
  // @ts-expect-error `messageId` is a number
  run: () => ({ messageId: 1 }),
});
defineWorkflow({
  slug: "wrong-output",
  input: z.string(),
  output: z.object({ messageId: z.string() }),
  // @ts-expect-error nothing is returned
  async run() {},
});
defineWorkflow({
  slug: "wrong-input",
  input: z.object({ to: z.string() }),
  // @ts-expect-error the input has no `from`
  run: (input) => input.from,
});
// @ts-expect-error `run` is required
defineWorkflow({ slug: "a", input: z.string() });
// @ts-expect-error `input` is required
defineWorkflow({ slug: "a", run() {} });
defineWorkflow({
  slug: "a",
  input: z.string(),
  // @ts-expect-error a timeout is a number of milliseconds or a string with a unit
  timeout: "5 minutes",
  run() {},
});
defineWorkflow({
  slug: "a",
  input: z.string(),
  // @ts-expect-error there is no such option
  retries: { times: 3 },
  run() {},
});
