"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { deliveryOutcomeSchema } from "../../../server/contract/delivery.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { Choice } from "../../ui/choice.tsx";
import { FilterInput } from "../../ui/text-input.tsx";
import { activeFilters, withoutFilter } from "./active-filters.ts";
import { type DeliveryFilters, noFilters, verdictChoices } from "./delivery-filters.ts";

interface Props {
  filters: DeliveryFilters;
  onChange: (some: Partial<DeliveryFilters>) => void;
}

const statuses = ["200", "202", "400", "401", "404", "405", "409", "413", "415", "422", "429", "503"];
const verdictWords: Record<(typeof verdictChoices)[number], string> = {
  matched: "matched",
  stopped: "stopped",
  request_mismatch: "request mismatch",
  filter_mismatch: "filter mismatch",
};

/** The filters of the list; all of them are in the URL. */
export function FilterBar({ filters, onChange }: Props) {
  const trpc = useTRPC();
  const triggers = useQuery(trpc.triggers.names.queryOptions()).data?.triggers;
  const endpoints = namesOf(
    (triggers ?? []).map(({ endpoint }) => endpoint),
    filters.endpoint,
  );
  const slugs = namesOf(
    (triggers ?? [])
      .filter(({ endpoint }) => filters.endpoint === null || endpoint === filters.endpoint)
      .map(({ slug }) => slug),
    filters.trigger,
  );
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="w-full sm:w-64">
        <FilterInput
          label="Text in the body"
          value={filters.text ?? ""}
          onChange={(text) => onChange({ text: text === "" ? null : text })}
          placeholder="Text in the body"
        />
      </div>
      <Choice
        label="Endpoint"
        value={filters.endpoint ?? ""}
        options={withAny("Any endpoint", endpoints)}
        onChange={(value) => onChange({ endpoint: value || null })}
      />
      <Choice
        label="Outcome"
        value={filters.outcome ?? ""}
        options={withAny("Any outcome", deliveryOutcomeSchema.options)}
        onChange={(value) => onChange({ outcome: deliveryOutcomeSchema.options.find((one) => one === value) ?? null })}
      />
      <Choice
        label="Response status"
        value={String(filters.status ?? "")}
        options={withAny("Any status", namesOf(statuses, filters.status === null ? null : String(filters.status)))}
        onChange={(value) => onChange({ status: value === "" ? null : Number(value) })}
      />
      <Choice
        label="Trigger"
        value={filters.trigger ?? ""}
        options={withAny("Any trigger", slugs)}
        onChange={(value) => onChange(value === "" ? withoutFilter("trigger") : { trigger: value })}
      />
      {filters.trigger !== null && (
        <Choice
          label="Verdict of the trigger"
          value={filters.verdict ?? ""}
          options={[
            { value: "", label: "Any verdict" },
            ...verdictChoices.map((value) => ({ value, label: verdictWords[value] })),
          ]}
          onChange={(value) => onChange({ verdict: verdictChoices.find((one) => one === value) ?? null })}
        />
      )}
      <Chips filters={filters} onChange={onChange} />
    </div>
  );
}

function Chips({ filters, onChange }: Props) {
  const active = activeFilters(filters);
  if (active.length === 0) return null;
  return (
    <ul aria-label="Active filters" className="flex w-full flex-wrap gap-1.5">
      {active.map(({ name, words }) => (
        <li key={name} className="min-w-0">
          <Chip label={`Remove the filter: ${words}`} onClick={() => onChange(withoutFilter(name))}>
            <span className="truncate">
              <PlainText text={words} />
            </span>
          </Chip>
        </li>
      ))}
      <li>
        <button
          type="button"
          onClick={() => onChange(noFilters)}
          className="h-6 cursor-pointer rounded-full px-2 text-s text-accent hover:underline"
        >
          Clear all
        </button>
      </li>
    </ul>
  );
}

function Chip({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="inline-flex h-6 max-w-full min-w-0 cursor-pointer items-center gap-1 rounded-full bg-accent-soft pr-1.5 pl-2.5 text-s font-medium text-accent hover:underline"
    >
      {children}
      <X aria-hidden size={12} className="shrink-0" />
    </button>
  );
}

/** Each name once. Includes the chosen one, even if the project does not have it. */
function namesOf(names: readonly string[], chosen: string | null): string[] {
  return [...new Set([...names, ...(chosen === null ? [] : [chosen])])];
}

function withAny(any: string, names: readonly string[]) {
  return [{ value: "", label: any }, ...names.map((name) => ({ value: name, label: name }))];
}
