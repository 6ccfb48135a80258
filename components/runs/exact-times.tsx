"use client";

import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { localInputOf, momentOfInput } from "./local-input.ts";
import { type RunFilterState, isTimePreset } from "./run-filters.ts";

/** A time range to the second, in the reader's time zone. */
export function ExactTimes({
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
