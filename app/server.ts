import "server-only";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createTRPCClient, type TRPCLink, TRPCClientError } from "@trpc/client";
import type { TRPCError } from "@trpc/server";
import { observable } from "@trpc/server/observable";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { cache } from "react";
import type { PageAccess } from "../components/auth/access.tsx";
import { createQueryClient } from "../components/trpc/query-client.ts";
import type { Signalbox } from "../server/main.ts";
import type { AppRouter } from "../server/trpc/router.ts";

/**
 * The only connection from pages to the server. At build time it shares only types: the store and the project live
 * outside Next's bundle, in the process that serves the pages. That process stores the service under this symbol.
 */
const containerKey = Symbol.for("signalbox.container");

type Holder = { [containerKey]?: Signalbox | Promise<Signalbox> };

/** The running service. If Next runs alone (`next dev`, `next start` in the repository), the first call starts one. */
export async function signalbox(): Promise<Signalbox> {
  const holder = globalThis as Holder;
  holder[containerKey] ??= startOnlyNext().catch((error: unknown) => {
    delete holder[containerKey];
    throw error;
  });
  return holder[containerKey];
}

async function startOnlyNext(): Promise<Signalbox> {
  const entries = ["server/processes/only-next.ts", "dist/only-next.js"].map((path) => pathToFileURL(path));
  const entry = entries.find((url) => existsSync(/* turbopackIgnore: true */ url));
  if (!entry) throw new Error("The web app has no server. Start it with `signalbox dev` or `signalbox start`.");
  const { startOnlyNext } = (await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ entry.href)) as {
    startOnlyNext(): Promise<Signalbox>;
  };
  return startOnlyNext();
}

/** The query client of a page: the same query keys as in the browser, handled in this process. One per request. */
export const createReader = cache(async () => {
  const caller = (await signalbox()).createCaller(await headers());
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

/**
 * Whether the requester may see the project. Our server redirects unauthenticated requests to /sign-in first. Pages
 * check again and show `Locked`.
 */
export async function mayRead(): Promise<boolean> {
  return (await readAccess()) !== null;
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
