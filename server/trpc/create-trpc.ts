import type { TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import {
  type ApiAuthenticator,
  type Client,
  ownerOf,
  type Principal,
  scopeOf,
  unknownClient,
} from "../auth/access/principal.ts";
import { AppError } from "../contract/app-error.ts";
import { maxBatchCalls } from "../contract/batch.ts";
import type { BodyBudget } from "../domain/requests/request-body.ts";
import { createSlots } from "../domain/requests/slots.ts";
import { retryAfterSeconds } from "../domain/problem.ts";
import { readWithin } from "../domain/requests/request-body.ts";
import { requireJsonType } from "../domain/requests/request-body.ts";
import { createTrafficReader } from "../traffic/traffic-reader.ts";
import { appRouter } from "./router.ts";
import { createCallerFactory, type TrpcContext, type TrpcDeps } from "./trpc.ts";

interface Admitted {
  /** The principal, or the reason for a rejection: the access check of the procedures returns it in tRPC's format. */
  caller: Principal | AppError;
  /** The request with its body in memory; without its body if it is rejected. */
  req: Request;
  /** Frees the memory of the body: to be called when the request is answered. */
  done(): void;
}

const nothing = () => {};

/** A string of the maximum size, with every character escaped by JSON, and its envelope. */
const bodyLimit = (maxBodyBytes: number) => 2 * maxBodyBytes + 64 * 1024;

const newCaller = createCallerFactory(appRouter);

type Caller = ReturnType<typeof newCaller>;

/** The internal API of the app: `/api/trpc`. */
export interface Trpc {
  handle(request: Request, client?: Client): Promise<Response>;
  /**
   * Calls procedures in this process for a page that is rendered on the server; `headers` are those of the browser's
   * request for the page.
   */
  caller(headers: Headers): Caller;
}

/** The results of all calls of a batch are in memory until the last one: few batches of a person run concurrently. */
const batchLimits = {
  maxActive: 16,
  maxActivePerGroup: 4,
  maxWaiting: 1_000,
  maxWaitingPerGroup: 200,
  maxWaitMs: 10_000,
};

export function createTrpc(parts: Omit<TrpcDeps, "traffic"> & { authenticate: ApiAuthenticator }): Trpc {
  const deps = { ...parts, traffic: createTrafficReader(parts.store) };
  const slots = createSlots(batchLimits);
  return {
    async handle(request, client = unknownClient) {
      const admitted = await admitRequest(deps, request);
      const { req, done } = admitted;
      const release = admitted.caller instanceof AppError ? nothing : await slots.acquire(ownerOf(admitted.caller));
      const caller = release ? admitted.caller : tooManyBatches();
      return fetchRequestHandler({
        endpoint: "/api/trpc",
        req,
        router: appRouter,
        // Queries may be longer than a URL.
        allowMethodOverride: true,
        maxBatchSize: maxBatchCalls,
        createContext: async (): Promise<TrpcContext> => ({ deps, caller, client }),
        responseMeta: ({ errors }) => ({
          headers: {
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
            ...(errors.some(canRetryLater) ? { "retry-after": retryAfterSeconds } : {}),
          },
        }),
      }).finally(() => {
        release?.();
        done();
      });
    },
    caller: (headers) =>
      newCaller(async () => ({
        deps,
        caller: await authenticateCaller(deps.authenticate, pageRequest(headers)),
        client: unknownClient,
      })),
  };
}

function tooManyBatches(): AppError {
  return new AppError(
    "rate_limited",
    "Too many requests of this key or person are in progress. Try again in a few seconds.",
  );
}

function canRetryLater({ code }: TRPCError): boolean {
  return code === "SERVICE_UNAVAILABLE" || code === "TOO_MANY_REQUESTS";
}

/** A link from another site may open a page. Only the browser's headers for the host and the credentials count. */
function pageRequest(headers: Headers): Request {
  const kept = ["host", "cookie"].flatMap((name): [string, string][] =>
    headers.has(name) ? [[name, headers.get(name) ?? ""]] : [],
  );
  return new Request("http://localhost/", { headers: kept });
}

/**
 * Authenticates before reading the body: bodies of unauthenticated clients are not read. A form of another site can
 * send only content types other than JSON without a preflight request; these are rejected.
 */
async function admitRequest(
  deps: { authenticate: ApiAuthenticator; maxBodyBytes: number; bodies: BodyBudget },
  request: Request,
): Promise<Admitted> {
  const caller = await authenticateCaller(deps.authenticate, request);
  if (request.method !== "POST") return { caller, req: request, done: nothing };
  if (caller instanceof AppError || scopeOf(caller) === null)
    return { caller, req: withBody(request, "{}"), done: nothing };
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
    if (error instanceof AppError) return { caller: error, req: withBody(request, "{}"), done: nothing };
    throw error;
  }
}

async function authenticateCaller(authenticate: ApiAuthenticator, request: Request): Promise<Principal | AppError> {
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
