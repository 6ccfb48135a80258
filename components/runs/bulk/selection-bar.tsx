"use client";

import { useQuery } from "@tanstack/react-query";
import { Ban, Play, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../auth/access.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { type BulkAction, type Counted, formatCapped, type Matching, withUntil } from "./run-bulk.ts";
import type { RunFilter } from "../list/run-filters.ts";
import { formatNumber } from "../../../server/shared/format.ts";

interface Props {
  filter: RunFilter;
  selected: number;
  /** Whether the list has rows. */
  hasRows: boolean;
  isAll: boolean;
  onSelectAll: (all: Matching) => void;
  onClear: () => void;
  onAct: (action: BulkAction) => void;
}

/** The selection and its actions. Has the same height without a selection, so that the list does not move. */
export function RunsSelectionBar(props: Props) {
  return (
    <div className="mb-2 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      {props.selected === 0 ? (
        props.hasRows && <p className="text-s text-ink-3">Select runs to resume, replay or cancel them together.</p>
      ) : (
        <Selection {...props} />
      )}
    </div>
  );
}

function Selection({ filter, selected, isAll, onSelectAll, onClear, onAct }: Props) {
  const trpc = useTRPC();
  const disabledReason = useDisabledReason("operate");
  // Fixed when the first row is selected: later runs are not included, and a relative time filter does not move.
  const [all] = useState((): Matching => ({ filter, until: new Date().toISOString() }));
  const count: Counted | undefined = useQuery(
    trpc.runs.count.queryOptions(withUntil(all.filter, all.until), { meta: { live: false }, staleTime: Infinity }),
  ).data;
  const isMore = count !== undefined && (count.isCapped || count.count > selected);
  return (
    <>
      <p role="status" className="font-medium">
        {isAll && count
          ? `All ${formatCapped(count)} matching runs are selected`
          : `${formatNumber(selected)} selected`}
      </p>
      {!isAll && isMore && (
        <button
          type="button"
          onClick={() => onSelectAll(all)}
          className="cursor-pointer font-medium text-accent hover:underline"
        >
          Select all {formatCapped(count)} matching runs
        </button>
      )}
      <Button size="s" icon={Play} disabledReason={disabledReason} onClick={() => onAct("resume")}>
        Resume
      </Button>
      <Button size="s" icon={RotateCcw} disabledReason={disabledReason} onClick={() => onAct("replay")}>
        Replay
      </Button>
      <Button size="s" tone="danger" icon={Ban} disabledReason={disabledReason} onClick={() => onAct("cancel")}>
        Cancel runs
      </Button>
      <Button size="s" tone="quiet" icon={X} onClick={onClear}>
        Clear selection
      </Button>
    </>
  );
}
