import "server-only";
import { pathToFileURL } from "node:url";
import { createTRPCClient, type TRPCLink, TRPCClientError } from "@trpc/client";
import type { TRPCError } from "@trpc/server";
import { observable } from "@trpc/server/observable";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import type { PageAccess } from "../components/auth/access.tsx";
import { createQueryClient } from "../components/trpc/query-client.ts";
import type { Signalbox } from "../server/composition/open-signalbox.ts";
import type { AppRouter } from "../server/trpc/router.ts";

/**
 * The only connection from the app to the server. At build time it shares only types: the store and the project live
 * outside Next's bundle. The process that serves the pages stores the service under this symbol.
 */
const containerKey = Symbol.for("signalbox.container");
const nextReceiverKey = Symbol.for("signalbox.next-receiver");

type Receive = Signalbox["ingestFetch"];
type Holder = { [containerKey]?: Signalbox; [nextReceiverKey]?: Promise<Receive> };

/** The service of this process. */
export function signalbox(): Signalbox {
  const service = (globalThis as Holder)[containerKey];
  if (!service) throw new Error("The pages have no server. Start it with `signalbox dev` or `signalbox start`.");
  return service;
}

/** If Next serves the app without Signalbox's server, the first webhook starts a receiver and its workers. */
export async function receiveWebhook(request: Request): Promise<Response> {
  const holder = globalThis as Holder;
  const service = holder[containerKey];
  if (service) return service.ingestFetch(request);
  holder[nextReceiverKey] ??= startNextReceiver().catch((error: unknown) => {
    delete holder[nextReceiverKey];
    throw error;
  });
  return (await holder[nextReceiverKey])(request);
}

/** From the sources of the repository, in which Next runs. The package has no program that runs Next alone. */
async function startNextReceiver(): Promise<Receive> {
  const { href } = pathToFileURL("server/processes/receiver/next-receiver.ts");
  const module = (await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ href)) as {
    startNextReceiver(): Promise<Receive>;
  };
  return module.startNextReceiver();
}

/** The query client of a page: the same query keys as in the browser, handled in this process. One per request. */
export const createReader = cache(async () => {
  const requestHeaders = await headers();
  const caller = signalbox().createCaller(requestHeaders);
  const queryClient = createQueryClient();
  const client = createTRPCClient<AppRouter>({ links: [callInProcess(caller)] });
  return { queryClient, trpc: createTRPCOptionsProxy<AppRouter>({ client, queryClient }) };
});

/** The access of the requester; `null`: unauthenticated. */
export const readAccess = cache(async (): Promise<PageAccess | null> => {
  const { queryClient, trpc } = await createReader();
  try {
    return await queryClient.fetchQuery(trpc.access.queryOptions());
  } catch (error) {
    if (hasCode(error, "UNAUTHORIZED") || hasCode(error, "FORBIDDEN")) return null;
    throw error;
  }
});

/** Our server redirects unauthenticated requests before it draws a page. Each page checks again. */
export async function requireAccess(): Promise<void> {
  if ((await readAccess()) === null) redirect("/sign-in");
}

/** When this request is rendered: the reference for relative times such as "12 s ago". */
export const requestTime = cache(() => Date.now());

/** Awaits a query. An unknown id shows the not-found page. The page itself handles other errors. */
export async function orNotFound(read: Promise<unknown>): Promise<void> {
  try {
    await read;
  } catch (error) {
    if (hasCode(error, "NOT_FOUND")) notFound();
  }
}

/** Compares codes, because the server's TRPCError class is outside this bundle. */
function hasCode(error: unknown, code: TRPCError["code"]): boolean {
  return (
    error instanceof TRPCClientError && error.cause !== undefined && "code" in error.cause && error.cause.code === code
  );
}

/** A tRPC link that calls the procedures directly, without HTTP. */
function callInProcess(caller: ReturnType<Signalbox["createCaller"]>): TRPCLink<AppRouter> {
  return () =>
    ({ op }) =>
      observable((observer) => {
        const procedure = op.path.split(".").reduce<unknown>((at, name) => Reflect.get(Object(at), name), caller);
        const respond = async () => {
          observer.next({
            result: { type: "data", data: await (procedure as (input: unknown) => Promise<unknown>)(op.input) },
          });
          observer.complete();
        };
        respond().catch((cause: unknown) =>
          observer.error(TRPCClientError.from(cause instanceof Error ? cause : new Error(String(cause)))),
        );
      });
}
