import type { Duplex } from "node:stream";
import type { Concurrency } from "../contract/project/options.ts";
import type { AssignedRun, RunClaim } from "../ports/run-channel.ts";
import type { ClaimedRun, EngineStore, ProgressResult, RunProgress } from "../ports/store/engine-store.ts";

// ---- the messages of both sides ----

/** Increased when a message changes in a way that the other side would misunderstand. */
export const protocolVersion = 5;

/** The properties of a worker that do not change while it runs. */
export interface WorkerIdentity {
  id: string;
  pid: number;
  startedAt: number;
  pool: "shared" | "isolated";
  /** The version of its current build. */
  version: string;
  /** The versions of the other builds that it can execute. */
  keptVersions: readonly string[];
  /** The targets (`kind:slug`) whose runs its current build executes, whichever build accepted them. */
  latestTargets: readonly string[];
  /** The targets (`kind:slug`) that limit their concurrent runs, with their limits. */
  limits: readonly (readonly [target: string, limits: Concurrency])[];
  /** Whether runs come with the headers of their delivery. */
  needsHeaders: boolean;
  /** The attachment ids whose transforms use the request. */
  readsRequest: readonly string[];
}

export interface Hello {
  type: "hello";
  protocol: number;
  secret: string;
  worker: WorkerIdentity;
  capacity: number;
  isDraining: boolean;
  runs: readonly RunClaim[];
  /** Runs whose unacknowledged progress follows. It may have been written; its answer shows whether the worker has them. */
  unacknowledged: readonly string[];
}

export type WorkerMessage =
  | Hello
  /** Answered with `ack`. Each run has at most one unanswered progress. */
  | ({ type: "progress" } & RunProgress & { seq: number })
  /** Live output of a model. Answered with `live-ack`. */
  | { type: "live"; id: number; live: Parameters<EngineStore["saveLive"]>[0] }
  | { type: "capacity"; runs: number }
  /** The worker stopped executing this run without writing its end. */
  | { type: "released"; run: RunClaim }
  /** Assign nothing more. Answered with `drained`. */
  | { type: "drain" };

export type HostMessage =
  /** Answers `hello`. Until this time, the worker has all its runs except `lost`. */
  | ({ type: "welcome" } & LeaseRenewal)
  /** Answers `hello`, before the host closes the connection. */
  | { type: "rejected"; message: string }
  | AssignMessage
  | ({ type: "ack" } & RunClaim & { seq: number } & (ProgressResult | { failure: WriteFailure }))
  | { type: "live-ack"; id: number; held: boolean }
  | { type: "cancel"; runId: string }
  /** Another worker has the run. */
  | { type: "lost"; run: RunClaim }
  | ({ type: "renewed" } & LeaseRenewal)
  | { type: "drained" };

interface AssignMessage {
  type: "assign";
  run: AssignedRun;
}

export interface LeaseRenewal {
  leaseUntil: number;
  /** The offset of the store's clock from this machine's. */
  clockAheadMs: number;
  /** The runs that the worker no longer has. */
  lost: readonly RunClaim[];
}

interface WriteFailure {
  /** Whether the write can be tried again. */
  isUnavailable: boolean;
  message: string;
}

/** Formats an `assign` message. The JSON of a payload is passed on without being parsed. */
export function formatAssign(
  { payloadText, inputText, ...attempt }: ClaimedRun,
  more: Pick<AssignedRun, "steps" | "headers" | "request" | "failure" | "parents">,
): string {
  const rest = JSON.stringify({ ...attempt, ...more }).slice(1);
  return `{"type":"assign","run":{"payload":${payloadText ?? "null"},"input":${inputText ?? "null"},${rest}}`;
}

// ---- frames ----

/**
 * Messages over a byte stream. All messages of one turn of the event loop are sent in one frame: four bytes with its
 * length, and a JSON array.
 */
export interface MessageStream<Sent> {
  send(message: Sent): void;
  /** Sends a message that is already JSON. */
  sendText(text: string): void;
  /** Writes the pending messages, then closes the stream. */
  end(): void;
  destroy(): void;
  /** Resolves when the stream is closed, from either side. */
  readonly closed: Promise<void>;
}

const headerBytes = 4;
/** A longer frame is divided, unless it is a single message. */
const maxSharedFrameChars = 1024 * 1024;
/** A greater length is not that of a frame. */
const maxFrameBytes = 1024 ** 3;

export function openMessageStream<Sent, Received>(
  stream: Duplex,
  p: {
    /** Called with the messages of a frame, in order. An exception closes the stream. */
    onMessages: (messages: Received[]) => void;
    /** Called before a frame is written. Messages that it sends are part of the frame. */
    onFlush?: () => void;
    /** Called once, when the stream is closed. */
    onClosed: (error: Error | null) => void;
  },
): MessageStream<Sent> {
  const closed = Promise.withResolvers<void>();
  let pending: string[] = [];
  let pendingChars = 0;
  let flushing: NodeJS.Immediate | null = null;
  let failure: Error | null = null;
  let isEnding = false;

  function sendText(text: string): void {
    if (isEnding) return;
    if (pendingChars + text.length > maxSharedFrameChars) writeFrame();
    pending.push(text);
    pendingChars += text.length;
    flushing ??= setImmediate(flush);
  }

  function flush(): void {
    p.onFlush?.();
    flushing = null;
    writeFrame();
  }

  function writeFrame(): void {
    if (pending.length === 0) return;
    const text = `[${pending.join(",")}]`;
    pending = [];
    pendingChars = 0;
    if (stream.writable) stream.write(encodeFrame(text));
  }

  const decode = createDecoder((text) => {
    if (!stream.destroyed) p.onMessages(JSON.parse(text));
  });
  stream.on("data", (chunk: Buffer) => {
    try {
      decode(chunk);
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  stream.on("error", (error) => (failure = error));
  stream.on("end", () => stream.destroy());
  stream.on("close", () => {
    isEnding = true;
    if (flushing) clearImmediate(flushing);
    closed.resolve();
    p.onClosed(failure);
  });

  return {
    send: (message) => sendText(JSON.stringify(message)),
    sendText,
    end() {
      if (isEnding) return;
      writeFrame();
      isEnding = true;
      stream.end(() => stream.destroy());
    },
    destroy: () => void stream.destroy(),
    closed: closed.promise,
  };
}

function encodeFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame.writeUInt32BE(length, 0);
  frame.write(text, headerBytes);
  return frame;
}

/** Collects chunks and calls `onFrame` with each complete frame. */
function createDecoder(onFrame: (text: string) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  /** Bytes that the next frame needs, with its header. */
  let needed = headerBytes;

  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < needed) return;
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks, bytes);
    for (;;) {
      needed = headerBytes;
      if (rest.length < headerBytes) break;
      const length = rest.readUInt32BE(0);
      if (length > maxFrameBytes) throw new Error(`A frame of ${length} bytes is too long.`);
      needed = headerBytes + length;
      if (rest.length < needed) break;
      const text = rest.toString("utf8", headerBytes, needed);
      rest = rest.subarray(needed);
      onFrame(text);
    }
    chunks = rest.length > 0 ? [rest] : [];
    bytes = rest.length;
  };
}
