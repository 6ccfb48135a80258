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

/** What the agent was asked, with the payload's parts marked, and what it was told before. */
export function PromptSection({ run, trace }: { run: Run; trace: AgentTrace }) {
  const [isWhole, setIsWhole] = useState(false);
  const input = useMemo(() => agentInputSchema.safeParse(run.input).data ?? null, [run.input]);
  const { pieces, isCut } = useMemo(
    () => cutPieces(input ? splitMarks(input) : [], isWhole ? maxPrompt : shown),
    [input, isWhole],
  );
  const told = trace.steps.flatMap(({ step }) => (step.type === "prompt" ? [step] : []))[0];
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
      {told && told.system !== "" && (
        <Fold title="Instructions" note={`${formatNumber(told.system.length)} characters`}>
          <RawText text={told.system} label="Instructions" copyLabel="Copy the instructions" maxHeight={360} />
        </Fold>
      )}
      {told && told.boundary !== null && (
        <Fold title="As the model sees it" note="with delimiters around what came from the payload">
          <RawText
            text={told.message}
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
  if (run.input !== null) return "The input of this run is not that of an agent.";
  return isOpen(run.status)
    ? "It is made from the payload when the run first starts."
    : "It was never made: the run ended before, or the trigger's transform or prompt failed.";
}
