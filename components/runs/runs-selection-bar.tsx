"use client";

import { useQuery } from "@tanstack/react-query";
import { Ban, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { useWhyNot } from "../auth/access.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import type { BulkAction, Matching } from "./bulk-action.ts";
import { type Counted, countWords } from "./count-words.ts";
import type { RunFilter } from "./run-filters.ts";
import { withUntil } from "./with-until.ts";
import { formatNumber } from "../../server/domain/format.ts";

interface Props {
  filter: RunFilter;
  selected: number;
  /** Whether there is anything to select. */
  hasRows: boolean;
  isAll: boolean;
  onSelectAll: (all: Matching) => void;
  onClear: () => void;
  onAct: (action: BulkAction) => void;
}

/** What is selected, and what can be done with it. As high when nothing is, so that the list stays where it is. */
export function RunsSelectionBar(props: Props) {
  return (
    <div className="mb-2 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      {props.selected === 0 ? (
        props.hasRows && <p className="text-s text-ink-3">Select runs to replay or cancel many at once.</p>
      ) : (
        <Selection {...props} />
      )}
    </div>
  );
}

function Selection({ filter, selected, isAll, onSelectAll, onClear, onAct }: Props) {
  const trpc = useTRPC();
  const whyNot = useWhyNot("operate");
  // As of the moment when something was first selected: runs that come later are not meant, and the last hour is the one before that.
  const [all] = useState((): Matching => ({ filter, until: new Date().toISOString() }));
  const count: Counted | undefined = useQuery(
    trpc.runs.count.queryOptions(withUntil(all.filter, all.until), { meta: { live: false }, staleTime: Infinity }),
  ).data;
  const isMore = count !== undefined && (count.isCapped || count.count > selected);
  return (
    <>
      <p role="status" className="font-medium">
        {isAll && count ? `All ${countWords(count)} that match are selected` : `${formatNumber(selected)} selected`}
      </p>
      {!isAll && isMore && (
        <button
          type="button"
          onClick={() => onSelectAll(all)}
          className="cursor-pointer font-medium text-accent hover:underline"
        >
          Select all {countWords(count)} that match
        </button>
      )}
      <Button size="s" icon={RotateCcw} disabled={whyNot !== undefined} title={whyNot} onClick={() => onAct("replay")}>
        Replay
      </Button>
      <Button
        size="s"
        tone="danger"
        icon={Ban}
        disabled={whyNot !== undefined}
        title={whyNot}
        onClick={() => onAct("cancel")}
      >
        Cancel
      </Button>
      <Button size="s" tone="quiet" icon={X} onClick={onClear}>
        Clear the selection
      </Button>
    </>
  );
}
