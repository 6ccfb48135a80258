import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { useLivePages } from "./use-live-pages.ts";

function List() {
  const { rows } = useLivePages<string>({
    queryKey: ["rows"],
    fetch: () => new Promise(() => {}),
    rowKey: (row) => row,
  });
  return rows.join();
}

it("leaves no timer behind when the server renders it, which would keep the page's data", () => {
  vi.useFakeTimers();
  const queries = new QueryClient();
  queries.setQueryData(["rows"], { data: ["first", "second"], nextCursor: null });
  expect(renderToString(createElement(QueryClientProvider, { client: queries }, createElement(List)))).toBe(
    "first,second",
  );
  vi.advanceTimersByTime(1);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
