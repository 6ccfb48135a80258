import { HydrationBoundary, dehydrate } from "@tanstack/react-query";
import type { Metadata } from "next";
import { AlertsList, alertsPageRows } from "../../components/alerts/alerts-list.tsx";
import { PageFrame } from "../../components/shell/page-frame.tsx";
import { createReader, requireAccess } from "../server.ts";

export const metadata: Metadata = { title: "Alerts" };

export default async function AlertsPage() {
  await requireAccess();
  const { queryClient, trpc } = await createReader();
  await Promise.all([
    queryClient.prefetchQuery(trpc.alerts.list.queryOptions({ limit: alertsPageRows })),
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
