"use client";

import { useQuery } from "@tanstack/react-query";
import { Download, X } from "lucide-react";
import { useState } from "react";
import { formatTokens, formatUsd, windowNames } from "../../server/domain/format.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Choice } from "../ui/choice.tsx";
import { FilterInput } from "../ui/text-input.tsx";
import { Menu } from "../ui/menu.tsx";
import { runStatuses } from "../ui/statuses.ts";
import { ExactTimes } from "./exact-times.tsx";
import {
  exportHref,
  filterChips,
  isTimePreset,
  type RunFilter,
  type RunFilterState,
  timePresets,
} from "./run-filters.ts";
import { saveLink } from "./save-file.ts";
import { useAgentNames } from "./use-agent-names.ts";

const dollars = [0.01, 0.1, 1, 10];
const tokens = [10_000, 100_000, 1_000_000];

interface Props {
  state: RunFilterState;
  filter: RunFilter;
  /** `null` clears all filters. */
  onChange: (change: Partial<RunFilterState> | null) => void;
}

/** The filters of the list, and a chip for each active filter. */
export function RunsFilterBar({ state, filter, onChange }: Props) {
  const [isExact, setIsExact] = useState(false);
  const names = useNames(state);
  const chips = filterChips(state);
  const hasAgents = useAgentNames().size > 0;
  return (
    <div className="mb-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="w-full sm:w-64">
          <FilterInput
            label="Text in the payload or input"
            value={state.text ?? ""}
            placeholder="Text in the input"
            onChange={(text) => onChange({ text: text || null })}
          />
        </div>
        <Choice
          label="Status"
          value={state.needsApproval ? approval.value : (state.status ?? "any")}
          options={statusOptions(hasAgents || state.needsApproval === true)}
          onChange={(value) =>
            onChange({
              status: value === "any" || value === "approval" ? null : value,
              needsApproval: value === "approval" || null,
            })
          }
        />
        <Choice
          label="Trigger"
          value={state.trigger ?? ""}
          options={optionsOf("Any trigger", names.triggers)}
          onChange={(value) => onChange({ trigger: value || null })}
        />
        <Choice
          label="Target"
          value={state.target ?? ""}
          options={optionsOf("Any target", names.targets)}
          onChange={(value) => onChange({ target: value || null })}
        />
        {hasAgents && <SpendChoice state={state} onChange={onChange} />}
        <Choice
          label="Version"
          value={state.version ?? ""}
          options={[{ value: "", label: "Any version" }, ...names.versions]}
          onChange={(value) => onChange({ version: value || null })}
        />
        <Choice
          label="Time"
          value={timeChoice(state)}
          options={[
            { value: "any", label: "Any time" },
            ...entriesOf(timePresets).map(([value]) => ({ value, label: `Last ${windowNames[value]}` })),
            { value: "exact", label: "Exact times…" },
          ]}
          onChange={(value) =>
            value === "exact" ? setIsExact(true) : onChange({ since: value === "any" ? null : value, until: null })
          }
        />
        {timeChoice(state) === "exact" && (
          <button
            type="button"
            onClick={() => setIsExact(true)}
            className="cursor-pointer text-s text-accent hover:underline"
          >
            Edit times
          </button>
        )}
        <div className="sm:ml-auto">
          <Menu
            label="Export"
            items={[
              {
                id: "csv",
                label: "CSV",
                note: "For spreadsheets: one row per run",
                onSelect: () => saveLink(exportHref(filter, "csv")),
              },
              {
                id: "jsonl",
                label: "JSON Lines",
                note: "For programs: one JSON document per line",
                onSelect: () => saveLink(exportHref(filter, "jsonl")),
              },
            ]}
          >
            <Download aria-hidden size={14} />
            Export
          </Menu>
        </div>
      </div>
      {chips.length > 0 && (
        <ul aria-label="Active filters" className="mt-2 flex flex-wrap items-center gap-1.5">
          {chips.map(({ key, text }) => (
            <li key={key}>
              <button
                type="button"
                aria-label={`Remove the filter: ${text}`}
                title={`Remove the filter: ${text}`}
                onClick={() => onChange({ [key]: null })}
                className="flex h-6 max-w-[min(420px,84vw)] cursor-pointer items-center gap-1 rounded-full bg-accent-soft pr-1.5 pl-2.5 text-s font-medium text-accent hover:text-ink"
              >
                <span className="truncate">{text}</span>
                <X aria-hidden size={12} className="shrink-0" />
              </button>
            </li>
          ))}
          <li>
            <button
              type="button"
              onClick={() => onChange(null)}
              className="h-6 cursor-pointer rounded-full px-2 text-s text-accent hover:underline"
            >
              Clear all
            </button>
          </li>
        </ul>
      )}
      {isExact && <ExactTimes state={state} onClose={() => setIsExact(false)} onApply={onChange} />}
    </div>
  );
}

const approval = { value: "approval", label: "waits for approval" } as const;

function statusOptions(withApproval: boolean) {
  return [
    { value: "any", label: "Any status" } as const,
    ...entriesOf(runStatuses).map(([value, { label }]) => ({ value, label })),
    ...(withApproval ? [approval] : []),
  ];
}

/** The options: the names of the current build, and the value in the URL. */
function useNames(state: RunFilterState) {
  const trpc = useTRPC();
  const names = useQuery(trpc.triggers.names.queryOptions()).data;
  const current = names?.version;
  return {
    triggers: withName(names?.triggers.map(({ slug }) => slug) ?? [], state.trigger),
    targets: withName(names?.targets.map(({ slug }) => slug) ?? [], state.target),
    versions: [
      ...(current ? [{ value: current, label: `${current.slice(0, 8)} (current)` }] : []),
      ...(state.version && state.version !== current
        ? [{ value: state.version, label: state.version.slice(0, 8) }]
        : []),
    ],
  };
}

function withName(names: string[], one: string | null): string[] {
  return [...new Set(one ? [...names, one] : names)].sort();
}

function timeChoice(state: RunFilterState) {
  if (state.until) return "exact";
  if (!state.since) return "any";
  return isTimePreset(state.since) ? state.since : "exact";
}

function optionsOf(any: string, names: readonly string[]) {
  return [{ value: "", label: any }, ...names.map((name) => ({ value: name, label: name }))];
}

function entriesOf<Key extends string, Value>(table: Record<Key, Value>): [Key, Value][] {
  return Object.entries(table) as [Key, Value][];
}

/** The minimum cost or tokens of a run. The URL can set other amounts. */
function SpendChoice({
  state,
  onChange,
}: {
  state: RunFilterState;
  onChange: (change: Partial<RunFilterState>) => void;
}) {
  const { minCostUsd, minTokens } = state;
  const value = minCostUsd !== null ? `usd ${minCostUsd}` : minTokens !== null ? `tokens ${minTokens}` : "any";
  const options = [
    { value: "any", label: "Any cost" },
    ...withAmount(dollars, minCostUsd).map((usd) => ({ value: `usd ${usd}`, label: `${formatUsd(usd)} or more` })),
    ...withAmount(tokens, minTokens).map((count) => ({
      value: `tokens ${count}`,
      label: `${formatTokens(count)} or more`,
    })),
  ];
  const choose = (chosen: string) => {
    const [unit, amount] = chosen.split(" ");
    onChange({
      minCostUsd: unit === "usd" ? Number(amount) : null,
      minTokens: unit === "tokens" ? Number(amount) : null,
    });
  };
  return <Choice label="Cost and tokens" value={value} options={options} onChange={choose} />;
}

function withAmount(amounts: readonly number[], one: number | null): number[] {
  return one === null || amounts.includes(one) ? [...amounts] : [...amounts, one].toSorted((a, b) => a - b);
}
