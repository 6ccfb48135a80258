import { type ApiAuthenticator, ownerOf, type Principal, scopeOf } from "../auth/principal.ts";
import { AppError } from "../contract/app-error.ts";
import type { BodyBudget } from "../domain/body-budget.ts";
import { readWithin } from "../domain/read-within.ts";
import { requireJsonType } from "../domain/require-json-type.ts";

interface Admitted {
  /** The principal, or the reason for a rejection: the access check of the procedures returns it in tRPC's format. */
  caller: Principal | AppError;
  /** The request with its body in memory; without its body if it is rejected. */
  req: Request;
  /** Frees the memory of the body: to be called when the request is answered. */
  done(): void;
}

const noBody = () => {};

/** A string of the maximum size, with every character escaped by JSON, and its envelope. */
const bodyLimit = (maxBodyBytes: number) => 2 * maxBodyBytes + 64 * 1024;

/**
 * Authenticates before reading the body: bodies of unauthenticated clients are not read. A form of another site can
 * send only content types other than JSON without a preflight request; these are rejected.
 */
export async function admitRequest(
  deps: { authenticate: ApiAuthenticator; maxBodyBytes: number; bodies: BodyBudget },
  request: Request,
): Promise<Admitted> {
  const caller = await whoAsks(deps.authenticate, request);
  if (request.method !== "POST") return { caller, req: request, done: noBody };
  if (caller instanceof AppError || scopeOf(caller) === null)
    return { caller, req: withBody(request, "{}"), done: noBody };
  const memory = deps.bodies.open(ownerOf(caller));
  try {
    requireJsonType(request.headers);
    return {
      caller,
      req: withBody(request, await readWithin(request, bodyLimit(deps.maxBodyBytes), memory)),
      done: memory.free,
    };
  } catch (error) {
    memory.free();
    if (error instanceof AppError) return { caller: error, req: withBody(request, "{}"), done: noBody };
    throw error;
  }
}

export async function whoAsks(authenticate: ApiAuthenticator, request: Request): Promise<Principal | AppError> {
  try {
    return await authenticate(request);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function withBody(request: Request, body: string | Uint8Array<ArrayBuffer>): Request {
  const headers = new Headers(request.headers);
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  return new Request(request.url, { method: "POST", headers, body, signal: request.signal });
}
