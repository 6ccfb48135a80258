import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readSettings } from "../../config.ts";
import { type Manifest, type ManifestWorkflow, manifestWorkflowSchema } from "../../contract/project/manifest.ts";
import { type RunStatus } from "../../contract/run.ts";
import { isEnded } from "../../shared/runs/run-state.ts";
import { newId } from "../../domain/ids.ts";
import { packageRoot } from "../../paths.ts";
import { systemClock } from "../../ports/clock.ts";
import { type Logger, silentLogger } from "../../ports/logger.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import type { Store } from "../../ports/store.ts";
import { readManifest } from "../../project/read-manifest.ts";
import { openSqliteStore } from "../../store/sqlite/open-store.ts";
import type { Reporter, RunEndedReport } from "../protocol.ts";
import { createLocalSockets } from "../local-sockets.ts";
import { openRunHost } from "../receiver/open-run-host.ts";
import { type WorkerPool, createWorkerPool } from "../worker-pool/worker-pool.ts";

export interface HarnessWorkflow extends Partial<Pick<ManifestWorkflow, "timeoutMs" | "concurrency">> {
  /**
   * Body of `async (input, ctx) => { … }`. `mark(text)` appends a line to a file that outlives the process, `marks()`
   * reads it. `blockForEver()` blocks the event loop without using CPU time.
   */
  code: string;
  attempts?: number;
  /** Its Zod schema, as code. Default: any object. */
  input?: string;
  /** Code that the module executes when it is loaded. */
  top?: string;
}

export interface Project {
  dir: string;
  /** Lines that the code marked, over all processes. */
  marks(): Promise<string[]>;
  /** Rewrites the project, as a rebuild would. */
  write(workflows: Record<string, HarnessWorkflow>): Promise<void>;
  remove(): Promise<void>;
}

/** A built project, written by hand: a manifest and one module for each workflow. */
export async function createProject(
  workflows: Record<string, HarnessWorkflow>,
  settings: Manifest["settings"] = {},
): Promise<Project> {
  const project = createProjectAt(await mkdtemp(join(tmpdir(), "signalbox-pool-")), settings);
  await project.write(workflows);
  return project;
}

export function createProjectAt(dir: string, settings: Manifest["settings"] = {}): Project {
  const marksFile = join(dir, "marks.txt");
  let builds = 0;

  async function write(next: Record<string, HarnessWorkflow>): Promise<void> {
    builds += 1;
    const folder = `builds/b${builds}`;
    await mkdir(join(dir, ".signalbox", folder), { recursive: true });
    await appendFile(marksFile, "");
    for (const [slug, workflow] of Object.entries(next))
      await writeFile(join(dir, ".signalbox", folder, `${slug}.mjs`), moduleText(slug, workflow, marksFile));
    await writeFile(join(dir, ".signalbox", folder, "sources.mjs"), "export const triggers = [];\n");
    await writeFile(join(dir, ".signalbox", "manifest.json"), JSON.stringify(manifestOf(next, folder, settings)));
  }

  return {
    dir,
    write,
    marks: async () => (await readFile(marksFile, "utf8")).split("\n").filter(Boolean),
    remove: () => rm(dir, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function moduleText(
  slug: string,
  { code, input = "z.looseObject({})", top = "" }: HarnessWorkflow,
  marksFile: string,
): string {
  return `
import { appendFileSync, readFileSync } from "node:fs";
import { defineWorkflow } from ${JSON.stringify(pathToFileURL(join(packageRoot, "sdk/workflow/index.ts")).href)};
import { z } from ${JSON.stringify(pathToFileURL(join(packageRoot, "node_modules/zod/index.js")).href)};
const mark = (text) => appendFileSync(${JSON.stringify(marksFile)}, text + "\\n");
const marks = () => readFileSync(${JSON.stringify(marksFile)}, "utf8").split("\\n").filter(Boolean);
const blockForEver = () => { for (const cell = new Int32Array(new SharedArrayBuffer(4)); ; ) Atomics.wait(cell, 0, 0, 20); };
const until = async (isSo) => { while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10)); };
${top}
export default defineWorkflow({ slug: ${JSON.stringify(slug)}, input: ${input}, run: async (input, ctx) => { ${code} } });
`;
}

function manifestOf(
  workflows: Record<string, HarnessWorkflow>,
  folder: string,
  settings: Manifest["settings"],
): Manifest {
  return {
    format: 1,
    version: folder,
    builtAt: "2026-01-01T00:00:00.000Z",
    name: "test",
    folder,
    sources: "sources.mjs",
    settings,
    triggers: [],
    agents: [],
    environment: { reads: [], readsAny: false, secrets: [] },
    workflows: Object.entries(workflows).map(([slug, { timeoutMs, concurrency, attempts }]) =>
      manifestWorkflowSchema.parse({
        slug,
        file: `workflows/${slug}.ts`,
        module: `${slug}.mjs`,
        input: {},
        output: null,
        retries: { attempts: attempts ?? 1, backoff: "fixed", initialMs: 10, maxMs: 1000 },
        timeoutMs: timeoutMs ?? 60_000,
        concurrency,
      }),
    ),
  };
}

export interface PoolHarness {
  store: Store;
  pool: WorkerPool;
  notices: string[];
  ended: RunEndedReport[];
  project: Project;
  /** Records runs and wakes the workers, as web does. */
  start(slug: string, over?: Partial<NewRun>): Promise<string>;
  /** Waits until the run has ended, and returns it with its timeline. */
  end(id: string): Promise<RunView>;
  read(id: string): Promise<RunView>;
  /** Waits until the check passes. It is repeated after each write. */
  until(isSo: () => Promise<boolean>): Promise<void>;
  /** Notifies the workers, as web does after it has written the request. */
  cancel(id: string): void;
  workerPids(): Promise<number[]>;
  /** Closes the host of the runs and opens another one. The workers stay. */
  restartHost(): Promise<void>;
  /** Calls after the first wait for it. */
  close(): Promise<void>;
}

interface RunView {
  status: RunStatus;
  run: NonNullable<Awaited<ReturnType<Store["getRun"]>>>;
  kinds: string[];
  /** When this first happened, in milliseconds. */
  timeOf(kind: string): number;
  /** Messages and errors of the timeline, to search for a word. */
  story: string;
}

/** Real worker processes with a real store. `hasWorkers: false` only opens the store. */
export async function startPool(
  project: Project,
  {
    env = {},
    hasWorkers = true,
    logger = silentLogger,
  }: { env?: NodeJS.ProcessEnv; hasWorkers?: boolean; logger?: Logger } = {},
): Promise<PoolHarness> {
  const manifest = await readManifest(join(project.dir, ".signalbox"));
  const settings = readSettings({
    projectDir: project.dir,
    mode: "deployed",
    fromProject: manifest?.settings ?? {},
    env,
  });
  if (settings.database.kind !== "sqlite") throw new Error("tests use SQLite");
  const store = await openSqliteStore({ file: settings.database.file, logger: silentLogger });
  const notices: string[] = [];
  const ended: RunEndedReport[] = [];
  const reporter: Reporter = {
    delivery() {},
    runEnded: (run) => ended.push(run),
    notice: (_, message) => notices.push(message),
  };
  const sockets = await createLocalSockets();
  const openHost = () => openRunHost({ settings, store, reporter, logger: silentLogger, address: sockets.runs });
  let runs = hasWorkers ? await openHost() : null;
  const pool = createWorkerPool({
    settings,
    env: { PATH: process.env["PATH"], ...env },
    host: {
      workerStarted: (workerId) => runs?.host.workerStarted(workerId),
      workerAlive: (workerId, p) => runs?.host.workerAlive(workerId, p),
      workerDied: async (lost) => (await runs?.host.workerDied(lost)) ?? [],
      hold: async (workerIds) => runs?.host.hold(workerIds),
      release: (workerIds) => runs?.host.release(workerIds),
      isolatedRuns: async () => (await runs?.host.isolatedRuns()) ?? { queued: 0, nextAt: null },
      countBlockedRuns: async () => (await runs?.host.countBlockedRuns()) ?? 0,
      stop: () => runs?.host.stop(),
    },
    runs: sockets.runs,
    mapStack: async (stack) => stack,
    reporter,
    logger,
    clock: systemClock,
  });
  if (hasWorkers) await pool.start();

  async function read(id: string): Promise<RunView> {
    const run = await store.getRun(id);
    if (!run) throw new Error(`${id} is not recorded`);
    const timeline = await store.listTimeline(id, { after: 0, limit: 1000 });
    const kinds = timeline.map(({ kind, name }) => (name === null ? kind : `${kind} ${name}`));
    const timeOf = (kind: string) => Date.parse(timeline[kinds.indexOf(kind)]?.at ?? "");
    return {
      status: run.status,
      run,
      kinds,
      timeOf,
      story: timeline
        .map(({ kind, message, error }) =>
          [kind, message, error?.name, error?.message, error?.stack].filter(Boolean).join(" | "),
        )
        .join("\n"),
    };
  }

  let closing: Promise<void> | null = null;
  async function close(): Promise<void> {
    await pool.close(0);
    await runs?.close();
    await sockets.remove();
    await store.close();
  }

  const harness: PoolHarness = {
    store,
    pool,
    notices,
    ended,
    project,
    read,
    async start(slug, over = {}) {
      const id = newId("run");
      await store.createRuns([
        {
          id,
          trigger: null,
          attachmentId: null,
          target: { kind: "workflow", slug },
          deliveryId: null,
          startedBy: "api",
          replayOf: null,
          version: "b1",
          maxAttempts: 1,
          createdAt: Date.now(),
          payload: null,
          input: {},
          keyId: null,
          ...over,
        },
      ]);
      runs?.host.wake();
      return id;
    },
    async end(id) {
      await untilStore(store, async () => isEnded((await read(id)).status));
      return await read(id);
    },
    until: (isSo) => untilStore(store, isSo),
    cancel: (id) => runs?.host.cancel(id),
    workerPids: async () => (await store.listWorkers({ seenSince: 0 })).map(({ pid }) => pid),
    async restartHost() {
      await runs?.close();
      runs = await openHost();
    },
    close: () => (closing ??= close()),
  };
  return harness;
}

async function untilStore(store: Store, isSo: () => Promise<boolean>): Promise<void> {
  let changed = Promise.withResolvers<void>();
  const stop = store.watch(() => changed.resolve());
  try {
    while (!(await isSo())) {
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    stop();
  }
}
