import type { Context, MiddlewareHandler } from "hono";
import type { RequestKind } from "../../auth/limits/request-slots.ts";
import type { RestEnv } from "./rest-deps.ts";

/** Holds a slot of the caller while the route runs. Not for streams, which outlive the route. */
export function holdSlot(kind: RequestKind): MiddlewareHandler<RestEnv> {
  return async (c, next) => {
    const free = c.env.takeSlot(kind, c.var.principal);
    try {
      await next();
    } finally {
      free();
    }
  };
}

/** Takes a slot for a stream. It is freed by `freeAfter`, or when the client leaves. A HEAD request streams nothing. */
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
