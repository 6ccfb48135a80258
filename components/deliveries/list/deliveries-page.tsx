"use client";

import { useQueryStates } from "nuqs";
import type { DeliverySummary } from "../../../server/contract/delivery.ts";
import { useLivePages } from "../../list/use-live-pages.ts";
import { VirtualTable } from "../../list/virtual-table.tsx";
import { useTRPC, useTRPCClient } from "../../trpc/trpc.ts";
import { deliveryColumns } from "./delivery-columns.tsx";
import { type DeliveryFilters, deliveryFilterParsers, listInput, pageRows } from "./delivery-filters.ts";
import { FilterBar } from "./filter-bar.tsx";
import { activeFilters } from "./active-filters.ts";
import { HistogramPanel } from "./histogram-panel.tsx";
import { NothingFound } from "./nothing-found.tsx";

/** The live list of deliveries, with filters and a histogram. */
export function DeliveriesPage() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [filters, setFilters] = useQueryStates(deliveryFilterParsers, { history: "push" });
  const input = listInput(filters);
  const pages = useLivePages<DeliverySummary>({
    queryKey: trpc.deliveries.list.queryKey(input),
    fetch: (cursor) => client.deliveries.list.query({ ...input, cursor }),
    rowKey: ({ id }) => id,
    pageRows,
  });
  const change = (some: Partial<DeliveryFilters>) => void setFilters(some);
  const isFiltered = activeFilters(filters).length > 0;
  return (
    <>
      <h1 className="mb-3 text-xl font-[640] tracking-[-0.015em]">Deliveries</h1>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <FilterBar filters={filters} onChange={change} />
        <HistogramPanel filters={filters} onChange={change} />
        <VirtualTable
          {...pages}
          label="Deliveries"
          columns={deliveryColumns}
          rowKey={({ id }) => id}
          rowHref={({ id }) => `/deliveries/${encodeURIComponent(id)}`}
          rowLabel={({ id, endpoint, responseStatus }) => `Delivery ${id} to ${endpoint}, status ${responseStatus}`}
          emptyFace={<NothingFound isFiltered={isFiltered} onClear={() => void setFilters(null)} />}
        />
      </div>
    </>
  );
}
