"use client";

import { useQuery } from "@tanstack/react-query";
import { FilterBar, NameFilter } from "../../list/filters/filter-bar.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import {
  activeFilters,
  type DeliveryFilters,
  outcomes,
  verdictChoices,
  verdictLabel,
  withoutFilter,
} from "./delivery-filters.ts";

interface Props {
  filters: DeliveryFilters;
  /** `null` clears all filters. */
  onChange: (some: Partial<DeliveryFilters> | null) => void;
}

const statuses = ["200", "202", "400", "401", "404", "405", "409", "413", "415", "422", "429", "503"];

/** The filters of the list of deliveries. */
export function DeliveriesFilterBar({ filters, onChange }: Props) {
  const trpc = useTRPC();
  const triggers = useQuery(trpc.triggers.names.queryOptions()).data?.triggers ?? [];
  const onEndpoint = triggers.filter(({ endpoint }) => filters.endpoint === null || endpoint === filters.endpoint);
  return (
    <FilterBar
      text={{
        label: "Text in the body",
        placeholder: "Text in the body",
        value: filters.text,
        onChange: (text) => onChange({ text }),
      }}
      active={activeFilters(filters)}
      onRemove={(name) => onChange(withoutFilter(name))}
      onClear={() => onChange(null)}
    >
      <NameFilter
        label="Endpoint"
        anyLabel="Any endpoint"
        value={filters.endpoint}
        names={triggers.map(({ endpoint }) => endpoint)}
        onChange={(endpoint) => onChange({ endpoint })}
      />
      <NameFilter
        label="Outcome"
        anyLabel="Any outcome"
        value={filters.outcome}
        names={outcomes}
        onChange={(outcome) => onChange({ outcome })}
      />
      <NameFilter
        label="Response status"
        anyLabel="Any status"
        value={filters.status === null ? null : String(filters.status)}
        names={statuses}
        onChange={(status) => onChange({ status: status === null ? null : Number(status) })}
      />
      <NameFilter
        label="Trigger"
        anyLabel="Any trigger"
        value={filters.trigger}
        names={onEndpoint.map(({ slug }) => slug)}
        onChange={(trigger) => onChange(trigger === null ? withoutFilter("trigger") : { trigger })}
      />
      {filters.trigger !== null && (
        <NameFilter
          label="Verdict of the trigger"
          anyLabel="Any verdict"
          value={filters.verdict}
          names={verdictChoices}
          labelOf={verdictLabel}
          onChange={(verdict) => onChange({ verdict })}
        />
      )}
    </FilterBar>
  );
}
