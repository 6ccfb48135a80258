import { expect } from "vitest";
import type { StepContext, WorkflowContext } from "signalbox/workflow";
import { definitionKind, type TriggerDefinition, type WorkflowDefinition } from "../../sdk/definition.ts";

/** Parses, transforms and runs as a worker does, with a context that stores nothing. */
export async function execute(trigger: TriggerDefinition, body: unknown, runId = "run_1") {
  const context = {
    headers: {},
    deliveryId: "dlv_1",
    receivedAt: "2026-01-01T00:00:00.000Z",
    endpoint: trigger.source.endpoint,
  };
  const workflow = asWorkflow(trigger.target);
  const steps: string[] = [];
  const signal = new AbortController().signal;
  const ctx: WorkflowContext = {
    run: { id: runId, attempt: 1, trigger: trigger.source.slug, deliveryId: "dlv_1" },
    step: async (name: string, ...rest: unknown[]) => {
      steps.push(name);
      const fn = rest.at(-1) as (step: StepContext) => unknown;
      return (await fn({ idempotencyKey: `${runId}:${name}`, signal })) as never;
    },
    sleep: async (name, duration) => void steps.push(`sleep ${name} ${duration}`),
    sleepUntil: async (name) => void steps.push(`sleep until ${name}`),
    waitFor: () => Promise.reject(new Error("The context of these tests has no events")),
    waitForAny: () => Promise.reject(new Error("The context of these tests has no events")),
    call: () => Promise.reject(new Error("The context of these tests starts no runs")),
    start: () => Promise.reject(new Error("The context of these tests starts no runs")),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    signal,
  };
  const payload = parse(trigger.source.request, body).data;
  const input = parse(workflow.input, await trigger.transform?.(payload as never, context as never));
  expect(input.success).toBe(true);
  const returned = await workflow.run(input.data as never, ctx as never);
  return { steps, output: workflow.output ? parse(workflow.output, returned).data : returned };
}

function asWorkflow(target: TriggerDefinition["target"]): WorkflowDefinition {
  if (target[definitionKind] !== "workflow") throw new Error("It has no code here");
  return target;
}

/** What a schema of any Zod makes of a value. */
type Parsed = { success: boolean; data?: unknown };

export function parse(schema: { safeParse(value: unknown): unknown }, value: unknown): Parsed {
  return schema.safeParse(value) as Parsed;
}
