"use client";

import { X } from "lucide-react";
import { useId, useState } from "react";
import type { Run } from "../../server/contract/run.ts";
import { RunForm } from "../run-form/run-form.tsx";
import { IconButton } from "../ui/button.tsx";
import { ModalElement } from "../ui/dialog.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { replaySubject } from "./replay-subject.ts";

const words = {
  workflow: {
    payload: "It passes through the currently deployed transform, like a webhook body. The filter is skipped.",
    input: "It is parsed by the target's input schema and passed to run().",
  },
  agent: {
    payload:
      "It passes through the currently deployed transform and prompt, like a webhook body. The filter is skipped.",
    input: "The agent receives exactly this prompt. The trigger's prompt is skipped.",
  },
};

/** Replays a run with an edited payload or input. */
export function ReplayDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const titleId = useId();
  const [of, setOf] = useState(() => replaySubject(run));
  const hasBoth = replaySubject(run) === "payload" && run.input !== null;
  return (
    <ModalElement labelledBy={titleId} onClose={onClose} className="m-auto w-[min(860px,calc(100vw-24px))]">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b py-2.5 pr-2.5 pl-4">
        <h2 id={titleId} className="min-w-0 flex-1 text-l font-semibold">
          Replay with changes
        </h2>
        {hasBoth && (
          <Segmented
            label="Part to edit"
            value={of}
            options={[
              { value: "payload", label: "Payload" },
              { value: "input", label: "Input" },
            ]}
            onChange={setOf}
          />
        )}
        <IconButton label="Close" icon={X} onClick={onClose} />
      </div>
      <p className="px-4 pt-3 text-s text-ink-3">
        Edit the {of} of this run. {words[run.target.kind][of]}
      </p>
      <div className="flex min-h-[min(480px,60dvh)] flex-col overflow-auto">
        <RunForm key={of} subject={{ kind: "replay", runId: run.id, of, trigger: run.trigger, target: run.target }} />
      </div>
    </ModalElement>
  );
}
