import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import type { ApiAuthenticator } from "../auth/api-authenticator.ts";
import type { Principal } from "../auth/principal.ts";
import { AppError } from "../contract/app-error.ts";
import { appRouter } from "./router.ts";
import { type TrpcContext, type TrpcDeps, createCallerFactory } from "./trpc.ts";

const newCaller = createCallerFactory(appRouter);

type Caller = ReturnType<typeof newCaller>;

/** The app's own door: `/api/trpc`. */
export interface Trpc {
  handle(request: Request): Promise<Response>;
  /** Calls procedures in this process, for pages that are drawn on the server. */
  caller(): Caller;
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
    caller: () => newCaller({ deps, caller: pageReader(deps) }),
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

/** Pages have no sign-in yet: deployed, they would show everybody what only an API token may read. */
function pageReader({ mode }: Pick<TrpcDeps, "mode">): Principal | AppError {
  if (mode === "development") return { kind: "local" };
  return new AppError("unauthorized", "Pages are open in development only. On a deployed service, use the API or the command line with an API token.");
}
