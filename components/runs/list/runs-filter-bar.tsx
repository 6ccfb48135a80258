"use client";

import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useMemo, useState } from "react";
import type { RunStatus } from "../../../server/contract/run.ts";
import { formatTokens, formatUsd, windowNames } from "../../../server/shared/format.ts";
import { FilterBar, NameFilter } from "../../list/filters/filter-bar.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Choice } from "../../ui/controls/choice.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import { runStatuses } from "../../ui/statuses.ts";
import { TextInput } from "../../ui/controls/text-input.tsx";
import { saveLink } from "../save-file.ts";
import {
  activeFilters,
  exportHref,
  isTimePreset,
  localInputOf,
  momentOfInput,
  type RunFilter,
  type RunFilterState,
  timePresets,
} from "./run-filters.ts";

const dollars = [0.01, 0.1, 1, 10];
const tokens = [10_000, 100_000, 1_000_000];

interface Props {
  state: RunFilterState;
  filter: RunFilter;
  /** `null` clears all filters. */
  onChange: (change: Partial<RunFilterState> | null) => void;
}

/** The filters of the list of runs, and the export of the filtered runs. */
export function RunsFilterBar({ state, filter, onChange }: Props) {
  const [isExact, setIsExact] = useState(false);
  const names = useNames(state);
  const hasAgents = useAgentNames().size > 0;
  return (
    <div className="mb-3">
      <FilterBar
        text={{
          label: "Text in the payload or input",
          placeholder: "Text in the input",
          value: state.text,
          onChange: (text) => onChange({ text }),
        }}
        actions={<ExportMenu filter={filter} />}
        active={activeFilters(state)}
        onRemove={(name) => onChange({ [name]: null })}
        onClear={() => onChange(null)}
      >
        <Choice
          label="Status"
          value={chosenStatus(state)}
          options={statusOptions(hasAgents || state.needsApproval === true)}
          onChange={(value) =>
            onChange({
              status: isStatus(value) ? value : null,
              needsApproval: value === "approval" || null,
              waitsForKey: value === "key" || null,
              unresolved: value === "unresolved" || null,
            })
          }
        />
        <NameFilter
          label="Trigger"
          anyLabel="Any trigger"
          value={state.trigger}
          names={names.triggers}
          onChange={(trigger) => onChange({ trigger })}
        />
        <NameFilter
          label="Target"
          anyLabel="Any target"
          value={state.target}
          names={names.targets}
          onChange={(target) => onChange({ target })}
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
      </FilterBar>
      {isExact && <ExactTimes state={state} onClose={() => setIsExact(false)} onApply={onChange} />}
    </div>
  );
}

/** Downloads the filtered runs as a file. */
function ExportMenu({ filter }: { filter: RunFilter }) {
  return (
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
  );
}

const approval = { value: "approval", label: "waits for approval" } as const;
const unresolved = { value: "unresolved", label: "unresolved failure" } as const;
const waitsForKey = { value: "key", label: "waits for its key" } as const;

const isStatus = (value: string): value is RunStatus => Object.hasOwn(runStatuses, value);

function chosenStatus({ status, unresolved: isUnresolved, needsApproval, waitsForKey: waits }: RunFilterState) {
  if (isUnresolved) return unresolved.value;
  if (needsApproval) return approval.value;
  return waits ? waitsForKey.value : (status ?? "any");
}

function statusOptions(withApproval: boolean) {
  return [
    { value: "any", label: "Any status" } as const,
    ...entriesOf(runStatuses).map(([value, { label }]) => ({ value, label })),
    unresolved,
    waitsForKey,
    ...(withApproval ? [approval] : []),
  ];
}

/** The names of the current build. A version in the URL is an option, too. */
function useNames(state: RunFilterState) {
  const trpc = useTRPC();
  const names = useQuery(trpc.triggers.names.queryOptions()).data;
  const current = names?.version;
  return {
    triggers: (names?.triggers.map(({ slug }) => slug) ?? []).toSorted(),
    targets: (names?.targets.map(({ slug }) => slug) ?? []).toSorted(),
    versions: [
      ...(current ? [{ value: current, label: `${current.slice(0, 8)} (current)` }] : []),
      ...(state.version && state.version !== current
        ? [{ value: state.version, label: state.version.slice(0, 8) }]
        : []),
    ],
  };
}

function timeChoice(state: RunFilterState) {
  if (state.until) return "exact";
  if (!state.since) return "any";
  return isTimePreset(state.since) ? state.since : "exact";
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

/** The agents of the current build. */
export function useAgentNames(): ReadonlySet<string> {
  const trpc = useTRPC();
  const targets = useQuery(trpc.triggers.names.queryOptions()).data?.targets;
  return useMemo(() => new Set(targets?.flatMap(({ kind, slug }) => (kind === "agent" ? [slug] : []))), [targets]);
}

/** A time range to the second, in the reader's time zone. */
function ExactTimes({
  state,
  onApply,
  onClose,
}: {
  state: RunFilterState;
  onApply: (change: Pick<RunFilterState, "since" | "until">) => void;
  onClose: () => void;
}) {
  const [since, setSince] = useState(isTimePreset(state.since) ? "" : localInputOf(state.since));
  const [until, setUntil] = useState(localInputOf(state.until));
  const isWrong = since !== "" && until !== "" && since >= until;
  const apply = () => {
    if (isWrong) return;
    onApply({ since: momentOfInput(since), until: momentOfInput(until) });
    onClose();
  };
  return (
    <Dialog
      title="Runs created between"
      isOpen
      onClose={onClose}
      footer={
        <Button tone="primary" disabled={isWrong} onClick={apply}>
          Show runs
        </Button>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextInput
          label="From, in your time zone"
          type="datetime-local"
          step={1}
          value={since}
          onChange={(event) => setSince(event.target.value)}
          data-autofocus=""
        />
        <TextInput
          label="Before"
          type="datetime-local"
          step={1}
          value={until}
          onChange={(event) => setUntil(event.target.value)}
          error={isWrong ? "Must be later than the start." : undefined}
        />
      </div>
      <p className="mt-3 text-s text-ink-3">Leave a field empty for no limit.</p>
    </Dialog>
  );
}
