import { z } from "zod";
import { defineAgent } from "signalbox/agent";
import {
  createClient,
  type FiredRun,
  type Problem,
  type RunHandle,
  type SentDelivery,
  type StartedRun,
} from "signalbox/client";
import { defineWebhookSource } from "signalbox/trigger";
import { defineWorkflow } from "signalbox/workflow";
import { type Equal, expectTrue } from "../testing/exact-type.ts";

const ship = defineWorkflow({
  slug: "ship",
  input: z.object({ to: z.email(), copies: z.number().default(1) }),
  run: async (input) => ({ at: new Date(), copies: input.copies, note: undefined as string | undefined }),
});
const ordered = defineWebhookSource({
  slug: "ordered",
  endpoint: "shop",
  request: z.object({ type: z.enum(["paid", "refunded"]), email: z.email() }),
  filter: z.object({ type: z.literal("paid") }),
}).attach({ workflow: ship, transform: ({ email }) => ({ to: email }) });
const model = { specificationVersion: "v4", provider: "p", modelId: "m", doStream: () => ({}) } as never;
const triage = defineAgent({ slug: "triage", model, instructions: "Sort.", output: z.object({ queue: z.string() }) });

const client = createClient({ url: "https://hooks.example.com", token: process.env["SIGNALBOX_TOKEN"] });

async function starts(): Promise<void> {
  // The input is what the schema parses, and the output is what JSON makes of it.
  const run = await client.start<typeof ship>("ship", { to: "ada@example.com" }, { idempotencyKey: "order-7" });
  const output = await client.waitFor(run, { timeout: "10m" });
  expectTrue<Equal<typeof output, { at: string; copies: number; note?: string }>>();

  const sorted = await client.startAgent<typeof triage>("triage", { prompt: "Sort this" });
  expectTrue<Equal<typeof sorted, StartedRun<{ queue: string }>>>();

  // Without a type argument, the service alone checks the input.
  const anyRun = await client.start("ship", { anything: true });
  expectTrue<Equal<typeof anyRun, StartedRun<unknown>>>();
  const anyOutput = await client.waitFor("run_1");
  expectTrue<Equal<typeof anyOutput, unknown>>();
  const handle: RunHandle<number> = { id: "run_1" };
  const count = await client.waitFor(handle);
  expectTrue<Equal<typeof count, number>>();
}

async function fires(): Promise<void> {
  // The body has the type of the payload, narrowed by the filter.
  const runs = await client.fire<typeof ordered>("ordered", { type: "paid", email: "ada@example.com" });
  for (const run of runs) {
    const output = await client.waitFor(run);
    expectTrue<Equal<typeof output, { at: string; copies: number; note?: string }>>();
  }
  const any = await client.fire("ordered", { anything: true }, { target: "ship", idempotencyKey: "order-7" });
  expectTrue<Equal<typeof any, FiredRun<unknown>[]>>();
}

async function delivers(): Promise<void> {
  const sent = await client.deliver<typeof ordered>("shop", { type: "paid", email: "ada@example.com" });
  expectTrue<Equal<typeof sent.problem, Problem | null>>();
  for (const run of sent.runs) {
    const output = await client.waitFor(run);
    expectTrue<Equal<typeof output, { at: string; copies: number; note?: string }>>();
  }
  const headers = { "x-shop-event": "paid", "x-topic": ["a", "b"] };
  const any = await client.deliver("shop", { anything: true }, { headers, query: headers, trigger: "ordered" });
  expectTrue<Equal<typeof any, SentDelivery<unknown>>>();
}

async function reads(): Promise<void> {
  for await (const run of client.listRuns({ status: "failed", unresolved: true })) {
    expectTrue<Equal<typeof run.target.kind, "workflow" | "agent">>();
    expectTrue<Equal<typeof run.startedAt, string | null>>();
  }
  const { data, nextCursor } = await client.listDeliveries({ outcome: "held" }).page();
  expectTrue<Equal<typeof nextCursor, string | null>>();
  expectTrue<Equal<(typeof data)[number]["responseStatus"], number>>();
  for await (const entry of client.events("run_1", { after: 3 })) expectTrue<Equal<typeof entry.id, number>>();
  const { output } = await client.getRun("run_1");
  expectTrue<Equal<typeof output, unknown>>();
}

void [starts, fires, delivers, reads];
