import { HydrationBoundary, dehydrate } from "@tanstack/react-query";
import { Overview } from "../components/overview/overview.tsx";
import { recentRows } from "../components/overview/recent-rows.ts";
import { Locked } from "../components/shell/locked.tsx";
import { PageFrame } from "../components/shell/page-frame.tsx";
import { createReader, mayRead, signalbox } from "./server.ts";

export default async function OverviewPage({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) {
  const { settings } = await signalbox();
  if (!(await mayRead())) return <Locked hasFailed={(await searchParams)["sign-in"] === "failed"} />;
  const { queryClient, trpc } = await createReader();
  await Promise.all([
    queryClient.prefetchQuery(trpc.triggers.list.queryOptions()),
    queryClient.prefetchQuery(trpc.runs.list.queryOptions({ limit: recentRows })),
    queryClient.prefetchQuery(trpc.deliveries.list.queryOptions({ limit: recentRows })),
  ]);
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageFrame isWide>
        <Overview needsKey={settings.mode === "deployed"} />
      </PageFrame>
    </HydrationBoundary>
  );
}
