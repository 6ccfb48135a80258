"use client";

import { Download } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import type { Run } from "../../../server/contract/run.ts";
import { JsonView } from "../../json/json-view.tsx";
import { IconButton } from "../../ui/controls/button.tsx";
import { Panel } from "../../ui/page-layout.tsx";
import { isOpen } from "../../ui/statuses.ts";
import { Tabs } from "../../ui/controls/tabs.tsx";
import { saveFile } from "../save-file.ts";

const parts = ["payload", "input", "output"] as const;
type Part = (typeof parts)[number];

const labels: Record<Part, string> = { payload: "Payload", input: "Input", output: "Output" };

/** The payload, the input after the transform, and the return value of `run()`. */
export function RunData({ run }: { run: Run }) {
  const [chosen, setChosen] = useQueryState("data", parseAsStringLiteral(parts));
  const part = chosen ?? firstPart(run);
  const value = run[part];
  const isThere = value !== null || isJsonNull(run, part);
  const text = JSON.stringify(value, null, 2);
  return (
    <Panel
      title="Payload → input → output"
      note={
        <IconButton
          label={`Download the ${part}`}
          icon={Download}
          size="s"
          disabled={!isThere}
          onClick={() => saveFile({ name: `${run.id}-${part}.json`, type: "application/json", content: `${text}\n` })}
        />
      }
    >
      <Tabs
        label="Payload, input and output"
        tabs={parts.map((id) => ({
          id,
          label: labels[id],
          note: run[id] === null && !isJsonNull(run, id) ? "–" : undefined,
        }))}
        selected={part}
        onSelect={(id) => void setChosen(parts.find((one) => one === id) ?? null)}
      >
        <p className="border-b px-4 py-1.5 text-s text-ink-3">{meaningOf(run, part)}</p>
        {isThere ? (
          <JsonView text={text} label={labels[part]} copyLabel={`Copy the ${part}`} maxHeight={520} />
        ) : (
          <p className="px-4 py-4 text-ink-2">{whyAbsent(run, part)}</p>
        )}
      </Tabs>
    </Panel>
  );
}

const onFailureMeanings: Record<Part, string> = {
  payload: "None: the input contains the payload of the failed run.",
  input: "The first argument of onFailure(): the failed run.",
  output: "The return value of onFailure().",
};

function meaningOf(run: Run, part: Part): string {
  if (run.failureOf !== null) return onFailureMeanings[part];
  if (part === "payload") return "The body, parsed by the request schema of the trigger.";
  if (run.target.kind === "agent" && part === "input")
    return "The prompt for the agent, and its parts that came from the payload.";
  if (part === "output")
    return run.target.kind === "agent"
      ? "The final answer of the agent, parsed by its output schema."
      : "The return value of run().";
  return run.payload === null
    ? "The argument of run(), parsed by the input schema of the target."
    : "The argument of run(): the payload after the transform of the trigger and the input schema of the target.";
}

/** The part shown first: the output if there is one, else the input or the payload. */
function firstPart(run: Run): Part {
  if (run.output !== null) return "output";
  return run.input !== null ? "input" : "payload";
}

/** Whether `null` is the payload itself, and not a missing payload. */
function isJsonNull(run: Run, part: Part): boolean {
  return part === "payload" && run.payload === null && run.attachmentId !== null && run.input === null;
}

function whyAbsent(run: Run, part: Part): string {
  if (part === "payload" && run.failureOf !== null) return onFailureMeanings.payload;
  if (part === "payload")
    return run.trigger === null
      ? "None: this run was started with an input, not by a trigger."
      : "None: this run is a replay with an edited input, which skips the transform of the trigger.";
  if (part === "input")
    return isOpen(run.status)
      ? "The input is created from the payload when the run starts."
      : "None: the run ended before it started, or the transform or the input schema failed.";
  if (run.status === "completed") return "run() returned nothing.";
  return isOpen(run.status) ? "The run has not ended yet." : "None: the run did not complete.";
}
