"use client";

import { ChevronsDownUp, ChevronsUpDown, WandSparkles } from "lucide-react";
import { Button } from "../../ui/controls/button.tsx";
import { Choice } from "../../ui/controls/choice.tsx";
import { FilterInput } from "../../ui/controls/text-input.tsx";
import type { CanvasModel } from "../../graph/canvas-model.ts";
import { type CanvasStatus } from "./matching-nodes.ts";
import { windows } from "../live/activity-request.ts";
import { useCanvas, useCanvasStore } from "../use-canvas.ts";
import type { CanvasUrl } from "./use-canvas-url.ts";
import { formatNumber } from "../../../server/shared/format.ts";

const statuses: readonly { value: CanvasStatus; label: string }[] = [
  { value: "all", label: "Any status" },
  { value: "stopped", label: "With stopped deliveries" },
  { value: "failing", label: "Failing" },
  { value: "running", label: "Running" },
  { value: "never", label: "Never fired or ran" },
];

export interface ToolbarProps {
  filter: (change: Partial<Omit<CanvasUrl, "node">>) => void;
}

/** Time window, filters and layout. The time window and the filters are in the URL. `isList`: without a layout. */
export function Toolbar({ filter, isList = false }: ToolbarProps & { isList?: boolean }) {
  const { foldAll, tidy } = useCanvasStore();
  const model = useCanvas((state) => state.model);
  const url = useCanvas((state) => state.url);
  const { foldable, collapsed } = useCanvas((state) => state.graph);
  const shownIds = useCanvas((state) => state.shownIds);
  const endpoints = [
    { value: "", label: "Any endpoint" },
    ...model.sources.map(({ source, label }) => ({ value: source.endpoint, label })),
  ];
  const isFolded = collapsed.size > 0;
  return (
    <div
      role="group"
      aria-label="Canvas filters"
      // One row above the nodes, also beside an open sheet.
      className="pointer-events-none flex flex-wrap items-center gap-2 *:pointer-events-auto *:shrink-0 md:absolute md:inset-x-3 md:top-2.5 md:z-10 md:flex-nowrap md:overflow-x-auto md:p-1 md:[scrollbar-width:none]"
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
      {!isList && (
        <Button icon={WandSparkles} onClick={tidy} title="Reset dragged nodes and restore the layout">
          Tidy
        </Button>
      )}
      {!isList && foldable.length > 0 && (
        <Button
          icon={isFolded ? ChevronsUpDown : ChevronsDownUp}
          onClick={() => foldAll(!isFolded)}
          title="Endpoints with more than one trigger"
        >
          {isFolded ? "Expand" : "Collapse"}
        </Button>
      )}
      {shownIds && (
        <span role="status" className="rounded-full bg-raised px-2 text-s text-ink-2 tabular-nums">
          {describeMatches(model, shownIds)}
        </span>
      )}
    </div>
  );
}

function describeMatches(model: CanvasModel, shownIds: ReadonlySet<string>): string {
  if (shownIds.size === 0) return "No matches";
  const share = (nodes: readonly { id: string }[]) =>
    `${formatNumber(nodes.filter(({ id }) => shownIds.has(id)).length)} of ${formatNumber(nodes.length)}`;
  return `${share(model.triggers)} triggers, ${share(model.targets)} targets`;
}
