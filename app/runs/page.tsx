import { HydrationBoundary, dehydrate } from "@tanstack/react-query";
import type { Metadata } from "next";
import { type SearchParams, createLoader } from "nuqs/server";
import { pageRows } from "../../components/list/list-state.ts";
import { histogramInput, runFilterParsers, toRunFilter } from "../../components/runs/list/run-filters.ts";
import { RunsList } from "../../components/runs/list/runs-list.tsx";
import { PageFrame } from "../../components/shell/page-frame.tsx";
import { createReader, requireAccess, requestTime } from "../server.ts";

export const metadata: Metadata = { title: "Runs" };

const loadFilter = createLoader(runFilterParsers);

export default async function RunsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  await requireAccess();
  const state = await loadFilter(searchParams);
  const now = Math.floor(requestTime() / 60_000) * 60_000;
  const filter = toRunFilter(state, now);
  const { queryClient, trpc } = await createReader();
  // The columns depend on whether there are agents. Known before rendering, so the layout does not shift.
  await Promise.all([
    queryClient.prefetchQuery(trpc.runs.list.queryOptions({ ...filter, limit: pageRows })),
    queryClient.prefetchQuery(trpc.runs.histogram.queryOptions(histogramInput(state, now))),
    queryClient.prefetchQuery(trpc.triggers.names.queryOptions()),
  ]);
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageFrame isWide>
        <h1 className="mb-4 text-xl font-[640]">Runs</h1>
        <RunsList />
      </PageFrame>
    </HydrationBoundary>
  );
}
