"use client";

import { Download } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import type { Run } from "../../server/contract/run.ts";
import { JsonView } from "../json/json-view.tsx";
import { IconButton } from "../ui/button.tsx";
import { Panel } from "../ui/panel.tsx";
import { isOpen } from "../ui/statuses.ts";
import { Tabs } from "../ui/tabs.tsx";
import { saveFile } from "./save-file.ts";

const parts = ["payload", "input", "output"] as const;
type Part = (typeof parts)[number];

const labels: Record<Part, string> = { payload: "Payload", input: "Input", output: "Output" };

/** What went in and came out: the payload, what the transform made of it, what `run()` returned. */
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
          onClick={() => saveFile({ name: `${run.id}-${part}.json`, type: "application/json", text: `${text}\n` })}
        />
      }
    >
      <div className="[&>[role=tablist]]:px-4">
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
      </div>
    </Panel>
  );
}

function meaningOf(run: Run, part: Part): string {
  if (part === "payload") return "What the trigger's request made of the body.";
  if (run.target.kind === "agent" && part === "input")
    return "What the agent was asked, and which stretches of that came from the payload.";
  if (part === "output")
    return run.target.kind === "agent"
      ? "The agent's last answer, as its output schema made it."
      : "What run() returned.";
  return run.payload === null
    ? "What run() got, as the target's input schema made it."
    : "What run() got: the payload through the trigger's transform and the target's input schema.";
}

/** What one wants to see first: how it ended, else what it works on. */
function firstPart(run: Run): Part {
  if (run.output !== null) return "output";
  return run.input !== null ? "input" : "payload";
}

/** A run with a payload of `null` has just that; so has a run whose code returned nothing. */
function isJsonNull(run: Run, part: Part): boolean {
  return part === "payload" && run.payload === null && run.attachmentId !== null && run.input === null;
}

function whyAbsent(run: Run, part: Part): string {
  if (part === "payload")
    return run.trigger === null
      ? "There is none: this run was started with an input of its own, not by a trigger."
      : "There is none: this run was replayed with an edited input, past the trigger's transform.";
  if (part === "input")
    return isOpen(run.status)
      ? "It is made from the payload when the run first starts."
      : "It was never made: the run ended before, or the transform or the input schema failed.";
  if (run.status === "completed") return "run() returned nothing.";
  return isOpen(run.status) ? "The run has not ended yet." : "There is none: the run did not complete.";
}
