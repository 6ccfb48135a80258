import type { Context } from "hono";
import type { RequestKind } from "../../auth/limits/request-slots.ts";
import type { RestEnv } from "./rest-deps.ts";

export interface SseEvent {
  /** The reader sends it back as Last-Event-ID when it connects again. */
  id: string | null;
  event: string;
  data: unknown;
}

const heartbeatMs = 15_000;

/**
 * Sends server-sent events (WHATWG HTML, 9.2) as they occur, and a comment after every 15 s of silence, so that proxies
 * keep the connection. `open` starts the events, and stops them when its signal is aborted, because the client
 * disconnected or `stopping` was aborted. Events are generated only as fast as they are read.
 */
export function sseResponse(p: {
  open: (signal: AbortSignal) => AsyncIterable<SseEvent>;
  stopping: AbortSignal;
  onError: (error: unknown) => void;
}): Response {
  const disconnected = new AbortController();
  const encoder = new TextEncoder();
  let iterator: AsyncIterator<SseEvent> | null = null;
  let pending: Promise<IteratorResult<SseEvent>> | null = null;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        if (!iterator) {
          iterator = p.open(AbortSignal.any([disconnected.signal, p.stopping]))[Symbol.asyncIterator]();
          // Sent immediately, so that the client knows that it is connected.
          return send("retry: 2000\n\n");
        }
        try {
          pending ??= iterator.next();
          const result = await nextWithin(pending, heartbeatMs);
          // The client has disconnected, which is not an error.
          if (disconnected.signal.aborted) return;
          if (result === "silence") return send(": still here\n\n");
          pending = null;
          if (result.done) return controller.close();
          send(formatEvent(result.value));
        } catch (error) {
          if (disconnected.signal.aborted) return;
          p.onError(error);
          controller.error(error);
        }
      },
      cancel() {
        disconnected.abort();
      },
    },
    // Created on the first read: a HEAD request leaves nothing behind.
    { highWaterMark: 0 },
  );
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}

function formatEvent({ id, event, data }: SseEvent): string {
  return `${id === null ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

async function nextWithin<T>(pending: Promise<T>, ms: number): Promise<T | "silence"> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<"silence">((resolve) => {
    timer = setTimeout(() => resolve("silence"), ms);
  });
  try {
    return await Promise.race([pending, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A file that is generated while it is sent, with back-pressure. Generation starts before the response, so that an
 * early failure becomes a problem response. It stops when the client disconnects or `stopping` is aborted. An
 * incomplete file ends with its connection, so that clients detect it.
 */
export async function downloadResponse(p: {
  pieces: AsyncGenerator<string>;
  contentType: string;
  fileName: string;
  stopping: AbortSignal;
  onError: (error: unknown) => void;
}): Promise<Response> {
  const { pieces, stopping } = p;
  const encoder = new TextEncoder();
  let hasDisconnected = false;
  let next: IteratorResult<string> | null = await pieces.next();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          let piece = next ?? (await pieces.next());
          next = null;
          while (!piece.done && piece.value === "" && !stopping.aborted) piece = await pieces.next();
          // The client has disconnected, which is not an error.
          if (hasDisconnected) return;
          stopping.throwIfAborted();
          if (piece.done) controller.close();
          else controller.enqueue(encoder.encode(piece.value));
        } catch (error) {
          await pieces.return(undefined);
          if (hasDisconnected) return;
          p.onError(error);
          controller.error(error);
        }
      },
      async cancel() {
        hasDisconnected = true;
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, {
    headers: {
      "content-type": p.contentType,
      "content-disposition": `attachment; filename="${p.fileName}"`,
      "cache-control": "no-store",
    },
  });
}

/** Takes a slot for a stream. `freeAfter` or a disconnect of the client frees it. A HEAD request streams nothing. */
export function takeStreamSlot(c: Context<RestEnv>, kind: RequestKind): () => void {
  if (c.req.raw.method === "HEAD") return () => {};
  const free = c.env.takeSlot(kind, c.var.principal);
  c.req.raw.signal.addEventListener("abort", free);
  return free;
}

export async function* freeAfter<T>(stream: AsyncGenerator<T>, free: () => void): AsyncGenerator<T> {
  try {
    yield* stream;
  } finally {
    free();
  }
}
