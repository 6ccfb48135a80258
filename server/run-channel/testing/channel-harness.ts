import type { Duplex } from "node:stream";
import { createWorkerLoop, type WorkerLoop, type WorkerLoopOptions } from "../../engine/worker-loop.ts";
import { createEngineHarness, type TestWorkflow } from "../../engine/testing/engine-harness.ts";
import type { RunEnding } from "../../engine/execute-run.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { AssignedRun, RunChannel } from "../../ports/run-channel.ts";
import type { Store } from "../../ports/store.ts";
import { aDelivery } from "../../store/testing/factories.ts";
import { createRunHost, type RunHost, type RunHostOptions } from "../host/run-host.ts";
import { connectLocally, createLocalSockets, listenLocally } from "../../processes/local-sockets.ts";
import type { WorkerIdentity } from "../messages.ts";
import { createWorkerChannel, type WorkerChannelOptions } from "../worker-channel.ts";
import { createPipe, type Deliver } from "./memory-pipe.ts";

/** The connection between workers and the newest host. */
interface Transport {
  connect(): Promise<Duplex>;
  serve(host: Pick<RunHost, "accept">): Promise<void>;
  close(): Promise<void>;
}

/** `createDeliver`: returns the function with which a connection delivers its writes. */
export function createMemoryTransport(createDeliver?: () => Deliver): Transport {
  let host: Pick<RunHost, "accept"> | null = null;
  return {
    async connect() {
      if (!host) throw new Error("connect ECONNREFUSED");
      const [near, far] = createPipe(createDeliver?.());
      host.accept(far);
      return near;
    },
    async serve(next) {
      host = next;
    },
    async close() {
      host = null;
    },
  };
}

export async function createSocketTransport(): Promise<Transport> {
  const { runs, remove } = await createLocalSockets();
  let server: Awaited<ReturnType<typeof listenLocally>> | null = null;
  return {
    connect: () => connectLocally(runs.socket),
    async serve(host) {
      // The server closes when all its connections have closed: those of the previous host are closing.
      void server?.close();
      server = await listenLocally(runs.socket, host.accept);
    },
    async close() {
      await server?.close();
      await remove();
    },
  };
}

export interface TestWorker {
  id: string;
  loop: WorkerLoop;
  channel: RunChannel;
  ended: { run: AssignedRun; ending: RunEnding }[];
  retired: string[];
  rejected: string[];
  /** Breaks the connection. The worker reconnects, unless it was killed. */
  disconnect(): void;
  /** The worker sends nothing afterwards. */
  kill(): void;
  /** The worker reads and sends nothing until it is resumed. */
  pause(): void;
  /** Its code may continue before the worker reads the messages that were sent to it. */
  resume(): void;
  isPaused(): boolean;
}

interface WorkerOptions extends TestWorkflow, Partial<Pick<WorkerLoopOptions, "slots" | "traceRun">> {
  id?: string;
  capacity?: number;
  secret?: string;
  identity?: Partial<WorkerIdentity>;
  connect?: WorkerChannelOptions["connect"];
}

const secret = "the secret of the tests";
const heartbeatMs = 100;

/** A host over a real store, and workers in this process. */
export async function createChannelHarness(transport: Transport, { wrap = (store: Store) => store } = {}) {
  const engine = await createEngineHarness();
  const store = wrap(engine.store);
  const workers: TestWorker[] = [];
  const stops: (() => void)[] = [];
  let host: RunHost | null = null;

  /** Starts a host. The previous one loses its connections. */
  async function startHost(over: Partial<RunHostOptions> = {}): Promise<RunHost> {
    await host?.close();
    host = createRunHost({
      store,
      secret,
      machine: "test",
      readManifest: async () => engine.code({ run: () => null }).manifest,
      readBuild: async () => null,
      mode: "deployed",
      reconcileEveryMs: 3_600_000,
      clock: engine.clock,
      logger: silentLogger,
      onTakenOver: () => {},
      ...over,
    });
    await transport.serve(host);
    return host;
  }

  function createWorker({ id = "wrk_a", capacity = 10, slots, traceRun, ...options }: WorkerOptions): TestWorker {
    let connection: Duplex | null = null;
    let isKilled = false;
    let isPaused = false;
    const [ended, retired, rejected]: [TestWorker["ended"], string[], string[]] = [[], [], []];
    const channel = createWorkerChannel({
      async connect() {
        if (isKilled) return await new Promise(() => {});
        connection = await (options.connect ?? transport.connect)();
        return connection;
      },
      secret: options.secret ?? secret,
      worker: {
        id,
        pid: process.pid,
        startedAt: engine.clock.now(),
        pool: "shared",
        version: "v1",
        keptVersions: [],
        latestTargets: [],
        limits: [],
        needsHeaders: traceRun !== undefined,
        readsRequest: [],
        ...options.identity,
      },
      logger: silentLogger,
      onRejected: (message) => rejected.push(message),
    });
    const code = engine.code(options);
    const loop = createWorkerLoop({
      channel,
      codeOf: () => code,
      capacity,
      ...(slots ? { slots } : {}),
      ...(traceRun ? { traceRun } : {}),
      clock: engine.clock,
      logger: silentLogger,
      random: () => 0.5,
      onRunEnded: (run, ending) => ended.push({ run, ending }),
      onRetire: (reason) => retired.push(reason),
    });
    const beat = setInterval(() => {
      if (!isPaused) host?.workerAlive(id, { isResponsive: true });
    }, heartbeatMs);
    const worker: TestWorker = {
      id,
      loop,
      channel,
      ended,
      retired,
      rejected,
      disconnect: () => void connection?.destroy(),
      kill() {
        isKilled = true;
        isPaused = true;
        connection?.destroy();
      },
      pause() {
        isPaused = true;
        connection?.pause();
      },
      resume() {
        isPaused = isKilled;
        setTimeout(() => connection?.resume(), 1);
      },
      isPaused: () => isPaused,
    };
    workers.push(worker);
    stops.push(() => {
      clearInterval(beat);
      loop.close();
    });
    return worker;
  }

  async function startWorker(options: WorkerOptions): Promise<TestWorker> {
    const worker = createWorker(options);
    await worker.loop.start();
    return worker;
  }

  return {
    ...engine,
    transport,
    store,
    startHost,
    createWorker,
    startWorker,
    async startRun(over: Parameters<typeof engine.createRun>[0] = {}): Promise<string> {
      const id = await engine.createRun(over);
      host?.wake();
      return id;
    },
    /** Accepts a delivery with runs, as the receiver does. Resolves to their ids. */
    async acceptRuns(count: number, over: Parameters<typeof engine.newRun>[0] = {}): Promise<string[]> {
      const delivery = aDelivery({ receivedAt: engine.clock.now() });
      const runs = Array.from({ length: count }, () =>
        engine.newRun({ trigger: "t", deliveryId: delivery.id, startedBy: "webhook", ...over }),
      );
      await host?.acceptDelivery({ delivery, runs, idempotency: null });
      return runs.map(({ id }) => id);
    },
    async close() {
      for (const stop of stops) stop();
      await host?.close();
      await transport.close();
      await engine.close();
    },
  };
}
