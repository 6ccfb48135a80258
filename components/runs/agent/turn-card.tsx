"use client";

import { Bot, RotateCcw, TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { Json } from "../../../server/contract/json.ts";
import { isStandIn } from "../../../server/contract/stand-in.ts";
import { JsonView } from "../../json/json-view.tsx";
import { Button } from "../../ui/button.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import { StandInBadge } from "../../ui/stand-in-badge.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { callFaces, sayFinish } from "./call-words.ts";
import type { Turn } from "./conversation.ts";
import { FailedTries } from "./failed-tries.tsx";
import { Fold } from "./fold.tsx";
import { FoldedText } from "./folded-text.tsx";
import { LiveSpeech } from "./live-speech.tsx";
import { cutText } from "./split-marks.ts";
import { StepHead } from "./step-head.tsx";
import { ToolCard } from "./tool-card.tsx";
import { sayUsage } from "./usage-words.ts";
import { formatCount, formatDuration, formatNumber, formatUsd } from "../../../server/domain/format.ts";

const maxTools = 20;
const maxText = { lines: 12, characters: 1_200 };

/** One model call: its usage, its answer, and its tool calls. `output`: the output of the run, for the last call. */
export function TurnCard({ turn, output }: { turn: Turn; output: Json | null }) {
  const { answer, call } = turn;
  const [isWhole, setIsWhole] = useState(false);
  const tools = isWhole ? turn.tools : turn.tools.slice(0, maxTools);
  const isStructured = turn.end === "final" && output !== null && typeof output !== "string";
  return (
    <section aria-label={`Model call ${call}`} className="border-t">
      <StepHead
        icon={Bot}
        title={`Model call ${call}`}
        name={answer?.step.model.modelId}
        badge={answer ? isStandIn(answer.step.model) && <StandInBadge /> : <StatusBadge face={callFaces(turn)} />}
        facts={factsOf(turn)}
      />
      <FailedTries tries={turn.failures} />
      {turn.isAsking && <LiveSpeech live={turn.live} call={call} />}
      {answer && answer.reasoning !== "" && (
        <Fold title="Reasoning" note={`${formatNumber(answer.reasoning.length)} characters`}>
          <FoldedText text={answer.reasoning} label={`reasoning of model call ${call}`} tone="text-ink-2" />
        </Fold>
      )}
      {answer && answer.text !== "" && !isStructured && (
        <FoldedText text={answer.text} label={`answer of model call ${call}`} />
      )}
      {tools.length > 0 && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2 px-4 py-2.5">
          {tools.map((use) => (
            <ToolCard key={use.place} use={use} />
          ))}
          {tools.length < turn.tools.length && (
            <Button onClick={() => setIsWhole(true)}>
              Show {formatCount(turn.tools.length - tools.length, "more tool call")}
            </Button>
          )}
        </div>
      )}
      {isStructured && (
        <>
          <JsonView
            text={JSON.stringify(output, null, 2)}
            label="The output"
            copyLabel="Copy the output"
            maxHeight={420}
          />
          {answer && (
            <Fold title="As the model wrote it">
              <FoldedText
                text={answer.text}
                label={`answer of model call ${call}`}
                tone="font-mono text-s text-ink-2"
              />
            </Fold>
          )}
        </>
      )}
      {turn.end === "repaired" && (
        <Note icon={RotateCcw}>
          This does not match the output schema of the agent. The model was called again with the validation error.
        </Note>
      )}
      {turn.why !== null && (
        <p className="-mt-1.5 px-4 pb-2.5 pl-[37px] font-mono text-s [overflow-wrap:anywhere] whitespace-pre-wrap text-ink-2">
          <PlainText text={cutText(turn.why, maxText)} />
        </p>
      )}
      {turn.end === "unusable" && (
        <Note icon={TriangleAlert}>
          This does not match the output schema of the agent, and no retries are left. The run failed.
        </Note>
      )}
    </section>
  );
}

function factsOf({ answer, end }: Turn): string[] {
  if (!answer) return [];
  const { usage, costUsd, finishReason } = answer.step;
  return [
    ...(end === "final" ? ["final answer"] : finishReason === "tool-calls" ? [] : [sayFinish(finishReason)]),
    formatDuration(answer.durationMs),
    sayUsage(usage) ?? "tokens not reported",
    costUsd === null ? "cost unknown" : formatUsd(costUsd),
  ];
}

function Note({ icon: Icon, children }: { icon: typeof Bot; children: string }) {
  return (
    <p className="flex items-start gap-2 px-4 pb-2.5 text-s text-wait">
      <Icon aria-hidden size={13} className="mt-0.5 shrink-0" />
      <span className="min-w-0">{children}</span>
    </p>
  );
}
