import { HydrationBoundary, dehydrate } from "@tanstack/react-query";
import type { Metadata } from "next";
import { AlertsList } from "../../components/alerts/alerts-list.tsx";
import { pageRows } from "../../components/list/list-state.ts";
import { PageFrame } from "../../components/shell/page-frame.tsx";
import { createReader, requireAccess } from "../server.ts";

export const metadata: Metadata = { title: "Alerts" };

export default async function AlertsPage({ searchParams }: { searchParams: Promise<{ status?: string | string[] }> }) {
  await requireAccess();
  const { status } = await searchParams;
  const filter = status === "active" || status === "resolved" ? { isActive: status === "active" } : {};
  const { queryClient, trpc } = await createReader();
  await Promise.all([
    queryClient.prefetchQuery(trpc.alerts.list.queryOptions({ ...filter, limit: pageRows })),
    queryClient.prefetchQuery(trpc.alerts.countActive.queryOptions()),
  ]);
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageFrame isWide>
        <h1 className="mb-4 text-xl font-[640]">Alerts</h1>
        <AlertsList />
      </PageFrame>
    </HydrationBoundary>
  );
}
