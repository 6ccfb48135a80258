import type { Duplex } from "node:stream";

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
