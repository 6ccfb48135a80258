"use client";

import { Wrench } from "lucide-react";
import type { AgentLive } from "../../../server/contract/agent-live.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { FollowEndButton } from "../follow-end-button.tsx";
import { useFollowEnd } from "../use-follow-end.ts";
import { formatCount, formatNumber } from "../../../server/domain/format.ts";

/**
 * The live answer of the model, in a box of a fixed size, so that nothing around it moves. It follows the end, unless
 * the reader scrolled up. Screen readers are notified by the status of the conversation.
 */
export function LiveSpeech({ live, call }: { live: AgentLive | null; call: number }) {
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
        className="h-52 overflow-auto px-4 py-2.5 [overflow-anchor:none] [overflow-wrap:anywhere] whitespace-pre-wrap -outline-offset-2"
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
