import { QueryClient } from "@tanstack/react-query";
import { TRPCClientError } from "@trpc/client";
import { expect, it, onTestFinished } from "vitest";
import type { AppRouter } from "../../server/trpc/router.ts";
import { listenToAnswers } from "./use-signed-out.ts";

const rejected = (code: string) =>
  new TRPCClientError<AppRouter>("no", {
    result: {
      error: {
        code: -32_001,
        message: "no",
        data: {
          code: "UNAUTHORIZED",
          httpStatus: 401,
          path: "runs.get",
          problem: { type: `/errors/${code}`, title: "no", status: 401, code, detail: "no" },
        },
      },
    },
  });

function listen() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const reported: boolean[] = [];
  onTestFinished(listenToAnswers(queries, (isOut) => reported.push(isOut)));
  const ask = (answer: Promise<string>) =>
    queries.fetchQuery({ queryKey: [reported.length], queryFn: () => answer }).catch(() => {});
  const act = (answer: Promise<string>) =>
    queries
      .getMutationCache()
      .build(queries, { mutationFn: () => answer })
      .execute(undefined)
      .catch(() => {});
  return { queries, reported, ask, act };
}

it("any response reports a token that is no longer valid, and a new one", async () => {
  const { reported, ask, act } = listen();
  await ask(Promise.resolve("rows"));
  await ask(Promise.reject(rejected("unauthorized")));
  await ask(Promise.resolve("rows"));
  await act(Promise.reject(rejected("unauthorized")));
  await act(Promise.resolve("done"));
  expect(reported).toEqual([false, true, false, true, false]);
});

it("other errors and cached data report nothing", async () => {
  const { queries, reported, ask } = listen();
  await ask(Promise.reject(rejected("not_found")));
  await ask(Promise.reject(TRPCClientError.from(new TypeError("Failed to fetch"))));
  queries.setQueryData(["kept"], "rows");
  expect(reported).toEqual([]);
});
