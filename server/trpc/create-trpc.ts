import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import type { ApiAuthenticator, Principal } from "../auth/principal.ts";
import { AppError } from "../contract/app-error.ts";
import { appRouter } from "./router.ts";
import { type TrpcContext, type TrpcDeps, createCallerFactory } from "./trpc.ts";

const newCaller = createCallerFactory(appRouter);

type Caller = ReturnType<typeof newCaller>;

/** The app's own door: `/api/trpc`. */
export interface Trpc {
  handle(request: Request): Promise<Response>;
  /** Calls procedures in this process for a page that is drawn on the server; `headers` are those of the browser's request for it. */
  caller(headers: Headers): Caller;
}

export function createTrpc(deps: TrpcDeps & { authenticate: ApiAuthenticator }): Trpc {
  return {
    handle: (request) =>
      fetchRequestHandler({
        endpoint: "/api/trpc",
        req: request,
        router: appRouter,
        createContext: async (): Promise<TrpcContext> => ({ deps, caller: await whoAsks(deps.authenticate, request) }),
        responseMeta: () => ({ headers: { "cache-control": "no-store" } }),
      }),
    caller: (headers) => newCaller(async () => ({ deps, caller: await whoAsks(deps.authenticate, pageRequest(headers)) })),
  };
}

async function whoAsks(authenticate: ApiAuthenticator, request: Request): Promise<Principal | AppError> {
  try {
    return await authenticate(request);
  } catch (error) {
    // Kept for the access check, which answers it like any other failure.
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** A link from elsewhere may open a page; so of the browser's headers only those count that say under which name and as whom it asks. */
function pageRequest(headers: Headers): Request {
  const kept = ["host", "cookie"].flatMap((name): [string, string][] => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : []));
  return new Request("http://localhost/", { headers: kept });
}
