import { createHash, timingSafeEqual } from "node:crypto";
import type { Duplex } from "node:stream";
import { trackWork, type WorkInProgress } from "../../domain/event-loop.ts";
import type { ConcurrencyLimits } from "../../domain/runs/run-limits.ts";
import type { TransientMap } from "../../domain/transient-map.ts";
import type { Logger } from "../../ports/logger.ts";
import type { RunClaim } from "../../ports/run-channel.ts";
import {
  type Hello,
  type HostMessage,
  type MessageStream,
  openMessageStream,
  protocolVersion,
  type WorkerIdentity,
  type WorkerMessage,
} from "../messages.ts";

/** The state of a connected worker in the host. */
export interface HostedWorker {
  readonly identity: WorkerIdentity;
  readonly stream: MessageStream<HostMessage>;
  /** Number of runs that it can have at a time. */
  capacity: number;
  /** It is assigned nothing more. */
  isDraining: boolean;
  /** Monotonic milliseconds of the last message that shows that its event loop turns. */
  respondedAt: number;
  /** No lease of its runs ends before. Each renewal extends all of them; a run that was assigned later has a later end. */
  leaseUntil: number;
  /** The renewal in progress after a missed one. All writes that arrive meanwhile share it. */
  renewing: Promise<void> | null;
  /** The tokens of its runs, by id. */
  readonly runs: TransientMap<string, string>;
  /** The targets (`kind:slug`) whose concurrent runs are limited. */
  readonly limitedTargets: ReadonlySet<string>;
  /** The attachment ids whose transforms use the request. */
  readonly readsRequest: ReadonlySet<string>;
  /** Its runs of such targets, by id. When one ends, another run of the target may be due. */
  readonly limitedRuns: Set<string>;
  /** Slots for runs that are being claimed or accepted. */
  reserved: number;
}

/** The connected workers, by id. */
export type HostedWorkers = ReadonlyMap<string, HostedWorker>;

/** Heartbeats come twice a second. */
const maxResponseAgeMs = 1_500;

/** Whether its event loop turned a moment ago. Otherwise, assigned runs would wait. */
export const isResponsive = ({ respondedAt }: HostedWorker): boolean =>
  performance.now() - respondedAt < maxResponseAgeMs;

/** The number of further runs that the worker can be assigned. */
export const freeSlots = ({ capacity, runs, reserved }: HostedWorker): number =>
  Math.max(0, capacity - runs.size - reserved);

export function claimsOf(worker: HostedWorker): RunClaim[] {
  return [...worker.runs].map(([id, token]) => ({ id, token }));
}

/** Forgets a run, unless the worker has another claim of it. */
export function forget(worker: HostedWorker, { id, token }: RunClaim): void {
  if (worker.runs.get(id) !== token) return;
  worker.runs.delete(id);
  worker.limitedRuns.delete(id);
}

/** The free slots of workers that can execute the same runs. One claim fills them. */
export interface ClaimGroup {
  pool: "shared" | "isolated";
  version: string;
  keptVersions: ReadonlySet<string>;
  latestTargets: ReadonlySet<string>;
  limits: ConcurrencyLimits;
  slots: string[];
}

/**
 * The free slots of workers, grouped by what they can execute. The slots of a group are in the order in which they are
 * filled: the worker with the fewest runs first.
 */
export function groupSlots(workers: Iterable<HostedWorker>): ClaimGroup[] {
  const groups = Map.groupBy(workers, ({ identity }) => JSON.stringify([identity.pool, identity.version]));
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    const slots = members.flatMap((worker) =>
      Array.from({ length: freeSlots(worker) }, (_, n) => ({ id: worker.identity.id, load: loadOf(worker) + n })),
    );
    if (!first || slots.length === 0) return [];
    const { pool, version, limits, keptVersions, latestTargets } = first.identity;
    slots.sort((a, b) => a.load - b.load);
    const group = {
      pool,
      version,
      keptVersions: new Set(keptVersions),
      latestTargets: new Set(latestTargets),
      limits: new Map(limits),
      slots: slots.map(({ id }) => id),
    };
    return [group];
  });
}

/** Whether the worker can execute what is claimed for the group. */
export const isGroupOf =
  ({ identity }: HostedWorker) =>
  ({ pool, version }: ClaimGroup): boolean =>
    pool === identity.pool && version === identity.version;

/** The number of runs that the worker has or is about to get. */
export const loadOf = ({ runs, reserved }: HostedWorker): number => runs.size + reserved;

interface ConnectionOptions {
  /** A worker must send it to be accepted. */
  secret: string;
  /** Returns the worker that has sent a hello. Its messages are handled afterwards. */
  admit(hello: Hello, stream: MessageStream<HostMessage>): HostedWorker;
  /**
   * Called when the worker has no other connection and none of its writes is in progress. If it rejects, the connection
   * is closed, and the worker tries again. `isOpen`: whether the connection is still open.
   */
  welcome(worker: HostedWorker, hello: Hello, isOpen: () => boolean): Promise<void>;
  /** Called when messages are received: the worker's event loop turns. */
  onMessages(worker: HostedWorker): void;
  /** Resolves when the writes that the message requests are done. Never rejects. */
  handle(worker: HostedWorker, message: Exclude<WorkerMessage, Hello>): Promise<void> | void;
  /** Called when the connection is closed, or about to be: also if a newer connection replaced it. */
  onClosed(worker: HostedWorker, error: Error | null): void;
  logger: Logger;
}

interface WorkerConnections {
  /** Serves a new connection. */
  accept(connection: Duplex): void;
  /** Closes the connections of a process that ended. Resolves when its last messages are written. */
  closeOf(workerId: string): Promise<void>;
  /** Closes all connections. Resolves when no write is in progress. */
  close(): Promise<void>;
}

/** A connection. `worker` is set after its hello. */
interface Connection {
  stream: MessageStream<HostMessage>;
  worker: HostedWorker | null;
  writes: WorkInProgress;
}

const maxHelloMs = 10_000;
/** The time to read the last messages of a dead process from its socket. */
const lastMessagesMs = 200;

/** Accepts the connections of the workers. A worker has one: the newest. */
export function createWorkerConnections(p: ConnectionOptions): WorkerConnections {
  const { logger } = p;
  const connections = new Set<Connection>();

  function accept(duplex: Duplex): void {
    const stream = openMessageStream<HostMessage, WorkerMessage>(duplex, {
      onMessages(messages) {
        if (connection.worker) p.onMessages(connection.worker);
        for (const message of messages) handle(connection, message);
      },
      onClosed(error) {
        clearTimeout(late);
        connections.delete(connection);
        if (connection.worker) p.onClosed(connection.worker, error);
      },
    });
    const connection: Connection = { stream, worker: null, writes: trackWork() };
    const late = setTimeout(() => connection.worker ?? stream.destroy(), maxHelloMs).unref();
    connections.add(connection);
  }

  function handle(connection: Connection, message: WorkerMessage): void {
    if (message.type === "hello") return handleHello(connection, message);
    const { worker, writes } = connection;
    if (!worker) throw new Error(`The first message of a worker must be hello, not ${message.type}.`);
    const write = p.handle(worker, message);
    if (write) void write.then(writes.begin());
  }

  function handleHello(connection: Connection, hello: Hello): void {
    const { stream } = connection;
    const rejection = findRejection(hello, p.secret);
    if (rejection) {
      logger.warn("worker rejected", { reason: rejection });
      stream.send({ type: "rejected", message: rejection });
      return stream.end();
    }
    const worker = p.admit(hello, stream);
    connection.worker = worker;
    closeOthers(connection, worker)
      .then(() => p.welcome(worker, hello, () => connections.has(connection)))
      .catch((error: unknown) => {
        logger.warn("worker could not be welcomed, it will try again", { workerId: worker.identity.id, error });
        stream.destroy();
      });
  }

  async function closeOthers(connection: Connection, { identity }: HostedWorker): Promise<void> {
    for (const other of connections) {
      if (other === connection || other.worker?.identity.id !== identity.id) continue;
      p.onClosed(other.worker, null);
      other.stream.destroy();
      await other.writes.settled();
    }
  }

  return {
    accept,
    async closeOf(workerId) {
      const own = [...connections].filter(({ worker }) => worker?.identity.id === workerId);
      const closed = Promise.all(own.map(({ stream }) => stream.closed));
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, lastMessagesMs))]);
      for (const { stream } of own) stream.destroy();
      await Promise.all(own.map(({ writes }) => writes.settled()));
    },
    async close() {
      const writes = [...connections].map((connection) => connection.writes.settled());
      for (const { stream } of connections) stream.destroy();
      await Promise.all(writes);
    },
  };
}

/** Returns the reason why this worker is not accepted; `null` if it is. */
function findRejection(hello: Hello, secret: string): string | null {
  if (hello.protocol !== protocolVersion)
    return `The worker uses version ${hello.protocol} of the run channel, the server version ${protocolVersion}. Restart the service, so that both come from the same installation.`;
  const isSecret = timingSafeEqual(digest(String(hello.secret)), digest(secret));
  return isSecret ? null : "The worker has another secret than the server.";
}

const digest = (text: string) => createHash("sha256").update(text).digest();
