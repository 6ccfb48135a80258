"use client";

import { Bot, RotateCcw, TriangleAlert, Wrench } from "lucide-react";
import { useState } from "react";
import type { Turn } from "../../../server/contract/agent/conversation.ts";
import type { AgentLive } from "../../../server/contract/agent/trace.ts";
import type { Json } from "../../../server/contract/json.ts";
import { isScriptedModel } from "../../../server/contract/agent/scripted-model.ts";
import { formatCount, formatDuration, formatNumber, formatUsd } from "../../../server/shared/format.ts";
import { JsonView } from "../../json/json-view.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import { RawText } from "../../json/raw-text.tsx";
import { Button, ShowAll } from "../../ui/controls/button.tsx";
import { ScriptedModelBadge, StatusBadge } from "../../ui/badges.tsx";
import { FollowEndButton, useFollowEnd } from "../follow-end.tsx";
import { callFaces, finishText, formatUsage } from "./call-labels.ts";
import { cutText } from "../../json/split-marks.ts";
import { FailedAttempts, Fold, StepHead } from "./conversation-parts.tsx";
import { ToolCard } from "./tool-card.tsx";

const shown = { lines: 14, characters: 1_600 };

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
        badge={
          answer ? (
            isScriptedModel(answer.step.model) && <ScriptedModelBadge />
          ) : (
            <StatusBadge status={callFaces(turn)} />
          )
        }
        facts={factsOf(turn)}
      />
      <FailedAttempts attempts={turn.failures} />
      {turn.isInProgress && <LiveSpeech live={turn.live} call={call} />}
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
            <ToolCard key={use.position} use={use} />
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
          <JsonView text={JSON.stringify(output)} label="The output" copyLabel="Copy the output" maxHeight={420} />
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
      {turn.validationError !== null && (
        <p className="-mt-1.5 px-4 pb-2.5 pl-[37px] font-mono text-s wrap-anywhere whitespace-pre-wrap text-ink-2">
          <PlainText text={cutText(turn.validationError, maxText)} />
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
    ...(end === "final" ? ["final answer"] : finishReason === "tool-calls" ? [] : [finishText(finishReason)]),
    formatDuration(answer.durationMs),
    formatUsage(usage) ?? "tokens not reported",
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

/** Plain text from a model or a person, never as markup. Long text is cut at first. */
function FoldedText({ text, label, tone = "text-ink" }: { text: string; label: string; tone?: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const head = cutText(text, shown);
  if (isWhole) return <RawText text={text} label={label} copyLabel={`Copy the ${label}`} />;
  return (
    <p className={`px-4 py-2.5 wrap-anywhere whitespace-pre-wrap ${tone}`}>
      <PlainText text={head} />
      {head.length < text.length && (
        <>
          {"… "}
          <ShowAll onClick={() => setIsWhole(true)} of={`${formatNumber(text.length)} characters`} />
        </>
      )}
    </p>
  );
}

/**
 * The live answer of the model, in a box of a fixed size, so that nothing around it moves. It follows the end, unless
 * the reader scrolled up. Screen readers are notified by the status of the conversation.
 */
function LiveSpeech({ live, call }: { live: AgentLive | null; call: number }) {
  const { scroller, isAtEnd, onScroll, toEnd } = useFollowEnd(true);
  const isThinking = live !== null && live.text === "" && live.toolCalls.length === 0 && live.reasoning !== "";
  return (
    <div className="relative">
      <div
        ref={scroller}
        onScroll={onScroll}
        role="region"
        aria-label={`Answer of model call ${call} so far`}
        tabIndex={0}
        className="h-52 overflow-auto px-4 py-2.5 [overflow-anchor:none] wrap-anywhere whitespace-pre-wrap -outline-offset-2"
      >
        {live === null || (live.text === "" && live.reasoning === "" && live.toolCalls.length === 0) ? (
          <span className="text-ink-3">Waiting for the first words </span>
        ) : (
          <>
            {live.reasoning !== "" && (
              <p className="mb-2 border-l-2 pl-3 text-s text-ink-2">
                <Cut units={live.reasoningCut} />
                <PlainText text={live.reasoning} />
                {isThinking && <Caret />}
              </p>
            )}
            <Cut units={live.textCut} />
            <PlainText text={live.text} />
          </>
        )}
        {!isThinking && (live?.toolCalls.length ?? 0) === 0 && <Caret />}
        {live !== null && live.toolCallsCut > 0 && (
          <p className="mt-2 text-s text-ink-3">{formatCount(live.toolCallsCut, "earlier tool call")}</p>
        )}
        {live?.toolCalls.map((tool) => (
          <p key={tool.toolCallId} className="mt-2 font-mono text-s">
            <Wrench aria-hidden size={12} className="mr-1.5 inline text-ink-3" />
            <strong className="font-semibold">
              <PlainText text={tool.toolName} />
            </strong>{" "}
            <Cut units={tool.inputCut} />
            <PlainText text={tool.input} />
            {!tool.isComplete && <Caret />}
          </p>
        ))}
      </div>
      {!isAtEnd && <FollowEndButton onClick={toEnd} />}
    </div>
  );
}

/** The position of the next word. */
function Caret() {
  return (
    <span
      aria-hidden
      className="ml-0.5 inline-block h-[1em] w-[7px] translate-y-[2px] animate-pulse rounded-[1px] bg-accent"
    />
  );
}

/** Of a long answer, only the end is kept. */
function Cut({ units }: { units: number }) {
  return units > 0 ? <span className="text-ink-3">({formatNumber(units)} earlier characters) … </span> : null;
}
