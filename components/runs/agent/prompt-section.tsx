"use client";

import { MessageSquareText } from "lucide-react";
import { useMemo, useState } from "react";
import { agentInputSchema } from "../../../server/contract/agent-input.ts";
import type { AgentTrace } from "../../../server/contract/agent-trace.ts";
import type { Run } from "../../../server/contract/run.ts";
import { RawText } from "../../json/raw-text.tsx";
import { isOpen } from "../../ui/statuses.ts";
import { Fold } from "./fold.tsx";
import { MarkedText } from "./marked-text.tsx";
import { cutPieces, splitMarks } from "./split-marks.ts";
import { StepHead } from "./step-head.tsx";
import { formatNumber } from "../../../server/domain/format.ts";

const shown = { lines: 18, characters: 2_400, pieces: 200 };
const maxPrompt = { lines: 20_000, characters: 200_000, pieces: 5_000 };

/** The prompt with marked payload data, and the instructions of the agent. */
export function PromptSection({ run, trace }: { run: Run; trace: AgentTrace }) {
  const [isWhole, setIsWhole] = useState(false);
  const input = useMemo(() => agentInputSchema.safeParse(run.input).data ?? null, [run.input]);
  const { pieces, isCut } = useMemo(
    () => cutPieces(input ? splitMarks(input) : [], isWhole ? maxPrompt : shown),
    [input, isWhole],
  );
  const rendered = trace.steps.flatMap(({ step }) => (step.type === "prompt" ? [step] : []))[0];
  return (
    <section aria-label="Prompt">
      <StepHead
        icon={MessageSquareText}
        title="Prompt"
        facts={input ? [`${formatNumber(input.prompt.length)} characters`] : []}
      />
      {input ? (
        <MarkedText
          pieces={pieces}
          label="The prompt"
          isCut={isCut}
          onWhole={isWhole ? undefined : () => setIsWhole(true)}
        />
      ) : (
        <p className="px-4 py-2.5 text-ink-2">{whyNone(run)}</p>
      )}
      {rendered && rendered.system !== "" && (
        <Fold title="Instructions" note={`${formatNumber(rendered.system.length)} characters`}>
          <RawText text={rendered.system} label="Instructions" copyLabel="Copy the instructions" maxHeight={360} />
        </Fold>
      )}
      {rendered && rendered.boundary !== null && (
        <Fold title="As the model sees it" note="with delimiters around payload data">
          <RawText
            text={rendered.message}
            label="The prompt as the model sees it"
            copyLabel="Copy the prompt as the model sees it"
            maxHeight={360}
          />
        </Fold>
      )}
    </section>
  );
}

function whyNone(run: Run): string {
  if (run.input !== null) return "The input of this run is not an agent input.";
  return isOpen(run.status)
    ? "The prompt is created from the payload when the run starts."
    : "None: the run ended before it started, or the transform or prompt of the trigger failed.";
}
