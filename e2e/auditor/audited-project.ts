import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const repository = join(import.meta.dirname, "../..");

/** The steps of each workflow of the audited project, in their order. */
export const stepsOf: Readonly<Record<string, readonly string[]>> = {
  ship: ["reserve", "pack", "send"],
  bill: ["charge", "receipt"],
  note: ["write"],
  spin: ["stop"],
  seat: ["take", "use", "leave"],
  follow: ["open", "track", "close"],
  assemble: ["begin", "check", "finish"],
  part: ["make"],
};

/** The runs of a seat, its key, are executed one after the other. The first attempt of some of them fails. */
const settingsOf: Readonly<Record<string, string>> = { seat: "concurrency: { perKey: 1 }," };

/** The keys of its runs. */
export const seats = ["s1", "s2", "s3", "s4"];

const failOnce = `if (ctx.run.attempt === 1 && /[02468]$/.test(input.order)) throw new Error("again");`;

/** Before these steps, the run sleeps or waits durably. Any worker may continue it. */
const sleepsBefore: Readonly<Record<string, readonly string[]>> = {
  bill: ["receipt"],
  follow: ["track", "close"],
  assemble: ["check", "finish"],
};

export function isSleepBefore({ workflow, step }: { workflow: string; step: string }): boolean {
  return sleepsBefore[workflow]?.includes(step) ?? false;
}

/** Whether a run may belong to no process before this step: it sleeps, or its first attempt fails there. */
export function mayReturnBefore({ workflow, step }: { workflow: string; step: string }): boolean {
  return isSleepBefore({ workflow, step }) || (workflow === "seat" && step === "use");
}

/** A kind of order, and the attachments that match it. */
export interface OrderKind {
  endpoint: string;
  isPaid: boolean;
  expected: readonly string[];
}

export const seatAttachment = "take-seat:seat";

/** An order whose run waits for the shipment of its parcel. */
export const purchaseKind: OrderKind = {
  endpoint: "purchases",
  isPaid: false,
  expected: ["follow-purchase:follow"],
};

/** An order whose run calls a child run for each of its parts. */
export const kitKind: OrderKind = { endpoint: "kits", isPaid: false, expected: ["assemble-kit:assemble"] };

/** The endpoint of the source that only wakes runs. */
export const shipmentsEndpoint = "shipments";

export const orderKinds: readonly OrderKind[] = [
  { endpoint: "orders", isPaid: false, expected: ["ship-order:ship"] },
  { endpoint: "orders", isPaid: true, expected: ["bill-order:bill", "ship-order:ship"] },
  { endpoint: "notes", isPaid: false, expected: ["take-note:note"] },
  { endpoint: "seats", isPaid: false, expected: [seatAttachment] },
  purchaseKind,
  kitKind,
];

/** An order whose run blocks its process the first time. Clients do not send it. */
export const blockingKind: OrderKind = { endpoint: "spins", isPaid: false, expected: ["spin-once:spin"] };

/** In the project's folder: the process that is, or was, blocked. */
export const blockedFile = "blocked.txt";

/** Before any effect, so that a repeated execution repeats none. */
const blockOnce = `
        if (!existsSync("${blockedFile}")) {
          writeFileSync("${blockedFile}", String(process.pid));
          const cell = new Int32Array(new SharedArrayBuffer(4));
          for (;;) Atomics.wait(cell, 0, 0, 20);
        }`;

const kitShape = `parts: z.number().optional(), ending: z.enum(["failed", "canceled"]).optional()`;
const partShape = `at: z.number().optional(), isBroken: z.boolean().optional(), isSlow: z.boolean().optional()`;
const shape = `z.object({ order: z.string(), paid: z.boolean(), ms: z.number(), seat: z.string().optional(), waitMs: z.number().optional(), ${kitShape}, ${partShape} })`;

/**
 * Reports to the sink, and waits for its response: an effect that the sink has counted has happened, regardless of the
 * store.
 */
const effectModule = `
  export async function effect(e: { runId: string; workflow: string; step: string; phase: "begin" | "done" }): Promise<void> {
    const at = Date.now();
    const response = await fetch(process.env["AUDIT_SINK"] ?? "", {
      method: "POST",
      body: JSON.stringify({ ...e, at, pid: process.pid, generation: Number(process.env["AUDIT_GENERATION"]) }),
    });
    if (!response.ok) throw new Error("the sink answered " + response.status);
  }`;

/** The runs of some orders are active again and again while they wait. The other ones sleep until their events. */
const followPurchase = `
        await work("open");
        const track = async () => {
          await ctx.sleep("pause", input.ms);
          await work("track");
        };
        const isBusy = /[02468]$/.test(input.order);
        if (!isBusy) await track();
        const [event] = await Promise.all([
          ctx.waitFor("shipped", parcelShipped, { match: { "/order": input.order }, timeout: input.waitMs ?? 0 }),
          isBusy ? track() : null,
        ]);
        await work("close");
        return { parcel: event?.parcel ?? null };`;

/**
 * The second part of a kit is broken, which its run catches. If the run fails or is canceled, its first part would take
 * an hour, and its third part continues. Some runs are active while their parts are made.
 */
const assembleKit = `
        await work("begin");
        const check = async () => {
          await ctx.sleep("pause", input.ms);
          await work("check");
        };
        const isBusy = /[02468]$/.test(input.order);
        if (!isBusy) await check();
        const given = { order: input.order, paid: false, ms: input.ms };
        const make = async (at: number) => {
          const values = { ...given, at, isBroken: at === 1, isSlow: at === 0 && input.ending !== undefined };
          try {
            const { runId } = await ctx.call("part " + at, part, values, at === 2 ? { onParentEnd: "continue" } : {});
            return { runId, status: "completed" };
          } catch (error) {
            if (!(error instanceof ChildRunError)) throw error;
            return { runId: error.runId, status: error.status };
          }
        };
        const abandon = async () => {
          await ctx.sleep("patience", 2 * input.ms);
          throw new NonRetryableError("abandoned");
        };
        const [parts] = await Promise.all([
          Promise.all(Array.from({ length: input.parts ?? 1 }, (_, at) => make(at))),
          isBusy ? check() : null,
          input.ending === "failed" ? abandon() : null,
        ]);
        const { id } = await ctx.start("notice", part, given);
        await work("finish");
        return { parts, notice: id };`;

const makePart = `
        await work("make");
        if (input.isSlow) await ctx.sleep("dry", "1h");
        if (input.isBroken) throw new NonRetryableError("broken");
        return { runId: ctx.run.id };`;

const codeOf: Readonly<Record<string, string>> = { follow: followPurchase, assemble: assembleKit, part: makePart };

function runSteps(slug: string, steps: readonly string[]): string {
  const code = codeOf[slug];
  if (code !== undefined) return code;
  const calls = steps.map(
    (step) =>
      `${isSleepBefore({ workflow: slug, step }) ? `await ctx.sleep("grace", 150);` : ""}${step === "use" ? failOnce : ""}\n        await work(${JSON.stringify(step)});`,
  );
  return `${slug === "spin" ? blockOnce : ""}\n        ${calls.join("")}`;
}

function workflowModule(slug: string, steps: readonly string[]): string {
  return `
    import { existsSync, writeFileSync } from "node:fs";
    import { ChildRunError, defineWorkflow, NonRetryableError } from "signalbox/workflow";
    import { z } from "zod";
    import { effect } from "../lib/effect";
    ${slug === "assemble" ? `import part from "./part";` : ""}
    ${slug === "follow" ? `import parcelShipped from "../triggers/parcel-shipped";` : ""}
    export default defineWorkflow({
      slug: "${slug}",
      input: ${shape},
      retries: { attempts: 50, backoff: "fixed", initialDelay: "50ms" },
      timeout: "10m",
      ${settingsOf[slug] ?? ""}
      async run(input, ctx) {
        const work = (step: string) => ctx.step(step, async () => {
          const told = { runId: ctx.run.id, workflow: "${slug}", step };
          await effect({ ...told, phase: "begin" });
          await new Promise((resolve) => setTimeout(resolve, input.ms));
          await effect({ ...told, phase: "done" });
        });
        ${runSteps(slug, steps)}
      },
    });`;
}

function triggerModule(p: { slug: string; endpoint: string; workflow: string; filter?: string; key?: string }): string {
  return `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import workflow from "../workflows/${p.workflow}";
    export default defineWebhookSource({
      slug: "${p.slug}",
      endpoint: "${p.endpoint}",
      request: ${shape},
      ${p.filter ? `filter: ${p.filter},` : ""}
    }).attach({ workflow${p.key === undefined ? "" : `, key: { field: "${p.key}" }`} });`;
}

/** Without a target: it only wakes runs. */
const shipmentsModule = `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    export default defineWebhookSource({
      slug: "parcel-shipped",
      endpoint: "${shipmentsEndpoint}",
      request: z.object({ order: z.string(), parcel: z.string() }),
    });`;

/** Writes a project that reports every step to the sink: two triggers on one endpoint, and others alone. */
export function writeAuditedProject(dir: string, workers: number): void {
  const files: Record<string, string> = {
    "package.json": `{"name":"audited","private":true,"type":"module"}`,
    "signalbox.config.ts": `import { defineConfig } from "signalbox/config";\nexport default defineConfig({ workers: ${workers} });`,
    "lib/effect.ts": effectModule,
    ...Object.fromEntries(
      Object.entries(stepsOf).map(([slug, steps]) => [`workflows/${slug}.ts`, workflowModule(slug, steps)]),
    ),
    "triggers/ship-order.ts": triggerModule({ slug: "ship-order", endpoint: "orders", workflow: "ship" }),
    "triggers/bill-order.ts": triggerModule({
      slug: "bill-order",
      endpoint: "orders",
      workflow: "bill",
      filter: "z.object({ paid: z.literal(true) })",
    }),
    "triggers/spin-once.ts": triggerModule({ slug: "spin-once", endpoint: "spins", workflow: "spin" }),
    "triggers/take-seat.ts": triggerModule({ slug: "take-seat", endpoint: "seats", workflow: "seat", key: "seat" }),
    "triggers/follow-purchase.ts": triggerModule({
      slug: "follow-purchase",
      endpoint: purchaseKind.endpoint,
      workflow: "follow",
    }),
    "triggers/assemble-kit.ts": triggerModule({
      slug: "assemble-kit",
      endpoint: kitKind.endpoint,
      workflow: "assemble",
    }),
    "triggers/parcel-shipped.ts": shipmentsModule,
    "triggers/take-note.ts": triggerModule({ slug: "take-note", endpoint: "notes", workflow: "note" }),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  mkdirSync(join(dir, "node_modules"), { recursive: true });
  symlinkSync(join(repository, "node_modules/zod"), join(dir, "node_modules/zod"));
}
