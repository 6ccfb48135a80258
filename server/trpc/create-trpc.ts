import type { TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { type Client, unknownClient } from "../auth/client.ts";
import type { ApiAuthenticator } from "../auth/principal.ts";
import { createTrafficReader } from "../traffic/traffic-reader.ts";
import { admitRequest, whoAsks } from "./admit-request.ts";
import { appRouter } from "./router.ts";
import { type TrpcContext, type TrpcDeps, createCallerFactory } from "./trpc.ts";

const newCaller = createCallerFactory(appRouter);

type Caller = ReturnType<typeof newCaller>;

/** The internal API of the app: `/api/trpc`. */
export interface Trpc {
  handle(request: Request, client?: Client): Promise<Response>;
  /**
   * Calls procedures in this process for a page that is drawn on the server; `headers` are those of the browser's
   * request for it.
   */
  caller(headers: Headers): Caller;
}

export function createTrpc(parts: Omit<TrpcDeps, "traffic"> & { authenticate: ApiAuthenticator }): Trpc {
  const deps = { ...parts, traffic: createTrafficReader(parts.store) };
  return {
    async handle(request, client = unknownClient) {
      const { caller, req, done } = await admitRequest(deps, request);
      return fetchRequestHandler({
        endpoint: "/api/trpc",
        req,
        router: appRouter,
        // Queries may be longer than a URL.
        allowMethodOverride: true,
        createContext: async (): Promise<TrpcContext> => ({ deps, caller, client }),
        responseMeta: ({ errors }) => ({
          headers: {
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
            ...(errors.some(isForLater) ? { "retry-after": "5" } : {}),
          },
        }),
      }).finally(done);
    },
    caller: (headers) =>
      newCaller(async () => ({
        deps,
        caller: await whoAsks(deps.authenticate, pageRequest(headers)),
        client: unknownClient,
      })),
  };
}

function isForLater({ code }: TRPCError): boolean {
  return code === "SERVICE_UNAVAILABLE" || code === "TOO_MANY_REQUESTS";
}

/** A link from another site may open a page. Only the browser's headers for the host and the credentials count. */
function pageRequest(headers: Headers): Request {
  const kept = ["host", "cookie"].flatMap((name): [string, string][] =>
    headers.has(name) ? [[name, headers.get(name) ?? ""]] : [],
  );
  return new Request("http://localhost/", { headers: kept });
}
