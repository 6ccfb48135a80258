"use client";

import { useQuery } from "@tanstack/react-query";
import { Ban, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import type { BulkAction } from "./bulk-action.ts";
import { type Counted, countWords } from "./count-words.ts";
import type { RunFilter } from "./run-filters.ts";
import { withUntil } from "./with-until.ts";

interface Props {
  filter: RunFilter;
  selected: number;
  /** Whether there is anything to select. */
  hasRows: boolean;
  allUntil: string | null;
  onSelectAll: (until: string) => void;
  onClear: () => void;
  onAct: (action: BulkAction) => void;
}

/** What is selected, and what can be done with it. As high when nothing is, so that the list stays where it is. */
export function RunsSelectionBar(props: Props) {
  return (
    <div className="mb-2 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      {props.selected === 0 ? props.hasRows && <p className="text-s text-ink-3">Select runs to replay or cancel many at once.</p> : <Selection {...props} />}
    </div>
  );
}

function Selection({ filter, selected, allUntil, onSelectAll, onClear, onAct }: Props) {
  const trpc = useTRPC();
  // As of the moment when something was first selected: runs that come later are not meant.
  const [until] = useState(() => new Date().toISOString());
  const count: Counted | undefined = useQuery(trpc.runs.count.queryOptions(withUntil(filter, until), { meta: { live: false }, staleTime: Infinity })).data;
  const isMore = count !== undefined && (count.isCapped || count.count > selected);
  return (
    <>
      <p role="status" className="font-medium">
        {allUntil !== null && count ? `All ${countWords(count)} that match are selected` : `${selected.toLocaleString("en")} selected`}
      </p>
      {allUntil === null && isMore && (
        <button type="button" onClick={() => onSelectAll(until)} className="cursor-pointer font-medium text-accent hover:underline">
          Select all {countWords(count)} that match
        </button>
      )}
      <Button size="s" icon={RotateCcw} onClick={() => onAct("replay")}>
        Replay
      </Button>
      <Button size="s" tone="danger" icon={Ban} onClick={() => onAct("cancel")}>
        Cancel
      </Button>
      <Button size="s" tone="quiet" icon={X} onClick={onClear}>
        Clear the selection
      </Button>
    </>
  );
}
