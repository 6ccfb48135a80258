"use client";

import { ChevronsDownUp, ChevronsUpDown, WandSparkles } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { Choice } from "../../ui/choice.tsx";
import { FilterInput } from "../../ui/text-input.tsx";
import type { CanvasModel } from "../model/canvas-model.ts";
import { type CanvasStatus } from "./matching-nodes.ts";
import { windows } from "../live/activity-request.ts";
import type { CanvasUrl } from "./use-canvas-filters.ts";
import type { Folds } from "../use-folds.ts";
import { formatNumber } from "../../../server/domain/format.ts";

const statuses: readonly { value: CanvasStatus; label: string }[] = [
  { value: "all", label: "Any status" },
  { value: "stopped", label: "With stopped deliveries" },
  { value: "failing", label: "Failing" },
  { value: "running", label: "Running" },
  { value: "never", label: "Never fired or ran" },
];

interface Props {
  model: CanvasModel;
  url: CanvasUrl;
  filter: (change: Partial<Omit<CanvasUrl, "node">>) => void;
  matchingIds: ReadonlySet<string> | null;
  folds: Folds | null;
  onTidy: (() => void) | null;
}

/** Time window, filters and layout. The time window and the filters are in the URL. */
export function Toolbar({ model, url, filter, matchingIds, folds, onTidy }: Props) {
  const endpoints = [
    { value: "", label: "Any endpoint" },
    ...model.endpoints.map(({ endpoint, path }) => ({ value: endpoint, label: path })),
  ];
  const isFoldable = folds && model.endpoints.some(({ triggers }) => triggers.length > 1);
  const isFolded = folds !== null && folds.collapsed.size > 0;
  return (
    <div
      role="group"
      aria-label="Canvas filters"
      className="pointer-events-none flex flex-wrap items-center gap-2 *:pointer-events-auto md:absolute md:inset-x-4 md:top-3.5 md:z-10"
    >
      <Choice label="Time window" value={url.window} options={windows} onChange={(window) => filter({ window })} />
      <Choice
        label="Endpoint"
        value={url.endpoint ?? ""}
        options={endpoints}
        onChange={(endpoint) => filter({ endpoint: endpoint === "" ? null : endpoint })}
      />
      <Choice label="Status" value={url.status} options={statuses} onChange={(status) => filter({ status })} />
      <div className="w-52">
        <FilterInput label="Filter the canvas" value={url.q} onChange={(q) => filter({ q })} placeholder="Filter" />
      </div>
      {onTidy && (
        <Button icon={WandSparkles} onClick={onTidy} title="Reset dragged nodes and restore the layout">
          Tidy
        </Button>
      )}
      {isFoldable && (
        <Button
          icon={isFolded ? ChevronsUpDown : ChevronsDownUp}
          onClick={() => folds.foldAll(!isFolded)}
          title="Endpoints with more than one trigger"
        >
          {isFolded ? "Expand" : "Collapse"}
        </Button>
      )}
      {matchingIds && (
        <span role="status" className="rounded-full bg-raised px-2 text-s text-ink-2 tabular-nums">
          {describeMatches(model, matchingIds)}
        </span>
      )}
    </div>
  );
}

function describeMatches(model: CanvasModel, matchingIds: ReadonlySet<string>): string {
  if (matchingIds.size === 0) return "No matches";
  const share = (nodes: readonly { id: string }[]) =>
    `${formatNumber(nodes.filter(({ id }) => matchingIds.has(id)).length)} of ${formatNumber(nodes.length)}`;
  return `${share(model.triggers)} triggers, ${share(model.targets)} targets`;
}
