import { unknownClient } from "../../auth/access/principal.ts";
import type { Ingest } from "./webhook-handler.ts";

/**
 * Receives webhooks if only a web `Request` is available, e.g. in a route handler of Next. The peer is unknown, so no
 * request is local.
 */
export function createFetchHandler(ingest: Ingest): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const answer = await ingest(
      {
        method: request.method,
        target: pathname + search,
        headers: Array.from(request.headers).flat(),
        readBody: (take) => (request.body ? readChunks(request.body, take) : undefined),
      },
      () => unknownClient.remoteReason,
    );
    const hasBody = request.method !== "HEAD";
    return new Response(hasBody ? answer.body : null, { status: answer.status, headers: answer.headers });
  };
}

async function readChunks(stream: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => boolean): Promise<void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || !take(value)) return;
    }
  } finally {
    reader.releaseLock();
  }
}
