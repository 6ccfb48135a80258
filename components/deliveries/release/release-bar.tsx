"use client";

import { Forward, X } from "lucide-react";
import { useState } from "react";
import { formatCount, formatNumber } from "../../../server/shared/format.ts";
import { useDisabledReason } from "../../auth/access.tsx";
import { Button } from "../../ui/controls/button.tsx";
import type { releaseInput } from "../list/delivery-filters.ts";
import { ReleaseDialog, type ReleaseTarget } from "./release-dialog.tsx";

interface Props {
  /** The list. */
  all: ReturnType<typeof releaseInput>;
  hasRows: boolean;
  /** Newest first. */
  selected: readonly string[];
  onClear: () => void;
}

/** Releases the selected deliveries of a list of held ones, or all of the list. */
export function ReleaseBar({ all, hasRows, selected, onClear }: Props) {
  const disabledReason = useDisabledReason("operate");
  const [target, setTarget] = useState<ReleaseTarget | null>(null);
  const { filter, others } = all;
  const ofOthers = new Intl.ListFormat("en").format(others);
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      {selected.length > 0 ? (
        <>
          <p role="status" className="font-medium">
            {formatNumber(selected.length)} selected
          </p>
          <Button
            size="s"
            icon={Forward}
            disabledReason={disabledReason}
            onClick={() => setTarget({ kind: "chosen", ids: selected.toReversed() })}
          >
            Release {formatCount(selected.length, "delivery", "deliveries")}
          </Button>
          <Button size="s" tone="quiet" icon={X} onClick={onClear}>
            Clear selection
          </Button>
        </>
      ) : (
        hasRows && (
          <>
            <p className="text-s text-ink-3">Held deliveries wait until a trigger matches them. Select some, or</p>
            <Button
              size="s"
              icon={Forward}
              disabledReason={
                disabledReason ?? (others.length === 0 ? undefined : `Clear the filters by ${ofOthers} first`)
              }
              onClick={() =>
                setTarget({ kind: "matching", ...filter, until: filter.until ?? new Date().toISOString() })
              }
            >
              Release all of them
            </Button>
          </>
        )
      )}
      {target && (
        <ReleaseDialog
          target={target}
          onClose={(isDone) => {
            setTarget(null);
            if (isDone) onClear();
          }}
        />
      )}
    </div>
  );
}
