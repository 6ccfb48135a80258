import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type Json, type JsonSchemaObject, jsonSchema } from "../../contract/json.ts";
import {
  type Manifest,
  manifestTriggerSchema,
  type ManifestWorkflow,
  manifestWorkflowSchema,
} from "../../contract/project/manifest.ts";
import type { TimelineEntry } from "../../contract/timeline.ts";
import { newId } from "../../domain/ids.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { AnySchema, LoadedWorkflow, ProjectCode } from "../../ports/project.ts";
import type { AssignedRun, ProgressWriter } from "../../ports/run-channel.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import { openSqliteStore } from "../../store/sqlite/open-store.ts";
import type { WorkflowContext } from "../../../sdk/workflow/index.ts";
import { type RunHandle, executeRun } from "../execute-run.ts";

export interface TestWorkflow {
  run: (input: never, ctx: WorkflowContext) => unknown;
  onFailure?: (run: never, ctx: WorkflowContext) => unknown;
  input?: z.ZodType;
  output?: z.ZodType;
  timeoutMs?: number;
  retries?: Partial<ManifestWorkflow["retries"]>;
  concurrency?: ManifestWorkflow["concurrency"];
  /** The sources whose webhooks are received. */
  sources?: readonly { slug: string; endpoint: string; request: JsonSchemaObject }[];
}

/** A real store in a folder of its own, a clock that only tests move, and workflows written in place. */
export async function createEngineHarness() {
  const dir = await mkdtemp(join(tmpdir(), "signalbox-engine-"));
  let now = Date.UTC(2026, 0, 1);
  const clock = { now: () => now };
  const openStore = () => openSqliteStore({ file: join(dir, "test.db"), clock, logger: silentLogger });
  const store = await openStore();

  function newRun(over: Partial<NewRun> = {}): NewRun {
    return {
      id: newId("run"),
      trigger: null,
      attachmentId: null,
      target: { kind: "workflow", slug: "work" },
      deliveryId: null,
      startedBy: "api",
      replayOf: null,
      version: "v1",
      maxAttempts: 1,
      createdAt: now,
      payload: null,
      input: {},
      keyId: null,
      ...over,
    };
  }

  async function createRun(over: Partial<NewRun> = {}): Promise<string> {
    const run = newRun(over);
    await store.createRuns([run]);
    return run.id;
  }

  /** Claims the run that is due, with what its worker needs. */
  async function claim(workerId = "wrk_test"): Promise<AssignedRun> {
    const [run] = await store.claimRuns({
      slots: [workerId],
      now,
      leaseMs: 15_000,
      limits: new Map(),
      pool: "shared",
    });
    if (!run) throw new Error("no run is due");
    const { payloadText, inputText, ...attempt } = run;
    const [payload, input] = [payloadText, inputText].map((text) =>
      text === null ? null : jsonSchema.parse(JSON.parse(text)),
    );
    return {
      ...attempt,
      payload: payload ?? null,
      input: input ?? null,
      steps: await store.loadSteps(run.id),
      headers: null,
      request: null,
      parents: [],
      failure: run.failureOf !== null && input === null ? await store.getRun(run.failureOf) : null,
    };
  }

  function execute(
    run: AssignedRun,
    workflow: TestWorkflow,
    options: {
      transform?: (payload: never, context: never) => unknown;
      progress?: ProgressWriter;
    } = {},
  ): RunHandle {
    return executeRun(run, {
      progress: options.progress ?? store,
      code: createCode(workflow, options.transform),
      clock,
      logger: silentLogger,
      random: () => 0.5,
    });
  }

  return {
    store,
    /** The same store, as another process opens it. The caller closes it. */
    openOtherStore: openStore,
    clock,
    newRun,
    createRun,
    claim,
    execute,
    code: createCode,
    advance: (ms: number) => (now += ms),
    /** Records a run, executes it once, and returns its record. */
    async attempt(
      workflow: TestWorkflow,
      run: Partial<NewRun> = {},
      options: { transform?: (payload: never, context: never) => unknown } = {},
    ) {
      const id = await createRun(run);
      await execute(await claim(), workflow, options).ended;
      return await this.read(id);
    },
    async read(id: string) {
      const run = await store.getRun(id);
      if (!run) throw new Error(`${id} is not recorded`);
      const timeline = await store.listTimeline(id, { after: 0, limit: 20_000 });
      return { run, timeline, kinds: timeline.map(describeEntry) };
    },
    async close() {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** `step_completed charge`: kind and name, or a log's message. */
function describeEntry({ kind, name, message }: TimelineEntry): string {
  return [kind, name ?? (kind === "log" ? message : null)].filter((part) => part !== null).join(" ");
}

export function createCode(
  workflow: TestWorkflow,
  transform?: (payload: never, context: never) => unknown,
): ProjectCode {
  const loaded: LoadedWorkflow = {
    slug: "work",
    input: toAnySchema(workflow.input ?? z.looseObject({})),
    output: workflow.output ? toAnySchema(workflow.output) : null,
    run: (input, ctx) => workflow.run(input as never, ctx as WorkflowContext),
    onFailure: workflow.onFailure ? (run, ctx) => workflow.onFailure?.(run as never, ctx as WorkflowContext) : null,
  };
  return {
    manifest: createManifest(workflow),
    mapStack: (stack) => stack.replaceAll("built.js", "source.ts"),
    excerptOf: (stack) =>
      stack.includes("built.js")
        ? { file: "source.ts", line: 2, column: 3, lines: [{ number: 2, text: "  throw" }] }
        : null,
    workflow: async (slug) => (slug === loaded.slug ? loaded : null),
    agent: async () => null,
    trigger: async (attachmentId) =>
      attachmentId === "knock:work"
        ? {
            request: toAnySchema(z.looseObject({})),
            transform: transform ? (payload, context) => transform(payload as never, context as never) : null,
          }
        : null,
  };
}

function toAnySchema(schema: z.ZodType): AnySchema {
  return {
    safeParse(value) {
      const parsed = schema.safeParse(value);
      return parsed.success
        ? parsed
        : { success: false, error: { issues: parsed.error.issues.map((issue) => ({ ...issue, code: issue.code })) } };
    },
  };
}

function createManifest(workflow: TestWorkflow): Manifest {
  const json: { [key: string]: Json } = {};
  return {
    format: 1,
    version: "v1",
    builtAt: "2026-01-01T00:00:00.000Z",
    name: "test",
    folder: "builds/v1",
    sources: "sources.js",
    settings: {},
    triggers: (workflow.sources ?? []).map((source) =>
      manifestTriggerSchema.parse({
        ...source,
        attachmentId: `${source.slug}:work`,
        target: { kind: "workflow", slug: "work" },
        file: `triggers/${source.slug}.ts`,
        module: `triggers/${source.slug}.js`,
        hasTransform: false,
        filter: null,
      }),
    ),
    agents: [],
    environment: { reads: [], readsAny: false, secrets: [] },
    workflows: [
      manifestWorkflowSchema.parse({
        slug: "work",
        file: "workflows/work.ts",
        module: "workflows/work.js",
        input: json,
        output: null,
        retries: { attempts: 3, backoff: "fixed", initialMs: 1000, maxMs: 60_000, ...workflow.retries },
        timeoutMs: workflow.timeoutMs ?? 60_000,
        concurrency: workflow.concurrency ?? null,
        hasOnFailure: workflow.onFailure !== undefined,
      }),
    ],
  };
}
