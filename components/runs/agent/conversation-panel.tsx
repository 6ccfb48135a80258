"use client";

import { useQuery } from "@tanstack/react-query";
import { MessageSquareText, TriangleAlert } from "lucide-react";
import { useMemo, useState } from "react";
import { agentInputSchema } from "../../../server/contract/agent/input.ts";
import type { AgentConversation, Turn } from "../../../server/contract/agent/conversation.ts";
import type { Run } from "../../../server/contract/run.ts";
import type { Target } from "../../../server/contract/project/target.ts";
import { formatNumber, formatUsd } from "../../../server/shared/format.ts";
import { RawText } from "../../json/raw-text.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ErrorNote, LoadingRows } from "../../ui/states.tsx";
import { Panel } from "../../ui/page-layout.tsx";
import { isOpen } from "../../ui/statuses.ts";
import { MarkedText } from "../../json/marked-text.tsx";
import { cutPieces, splitMarks } from "../../json/split-marks.ts";
import { Fold, StepHead } from "./conversation-parts.tsx";
import { TurnCard } from "./turn-card.tsx";
import { budgetUse, formatUsage } from "./call-labels.ts";

const shown = { lines: 18, characters: 2_400, pieces: 200 };
const maxPrompt = { lines: 20_000, characters: 200_000, pieces: 5_000 };

interface Props {
  run: Run;
  conversation: AgentConversation | undefined;
  error: unknown;
  retry: () => void;
}

/** The prompt, the answers of the model, the tool calls, and the usage of a run. */
export function ConversationPanel({ run, conversation, error, retry }: Props) {
  if (conversation) return <Conversation run={run} conversation={conversation} />;
  return (
    <Panel title="Conversation">
      {error ? (
        <ErrorNote title="The agent trace could not be loaded" error={error} retry={retry} />
      ) : (
        <LoadingRows label="Loading the agent trace" rows={6} />
      )}
    </Panel>
  );
}

const maxTurns = 30;

function Conversation({ run, conversation }: { run: Run; conversation: AgentConversation }) {
  const [isWhole, setIsWhole] = useState(false);
  const { turns } = conversation;
  const hidden = isWhole ? 0 : Math.max(0, turns.length - maxTurns);
  const answered = turns.filter(({ answer }) => answer !== null).length;
  return (
    <Panel title="Conversation">
      <Totals used={conversation} calls={answered} target={run.target} />
      {conversation.modelBeyondBuild !== null && (
        <p className="flex items-start gap-2 border-b px-4 py-2.5 text-s text-wait">
          <TriangleAlert aria-hidden size={13} className="mt-0.5 shrink-0" />
          <span className="min-w-0">
            The model {conversation.modelBeyondBuild} answered, not the script: the service has an API key of its
            provider, which the build did not have. Its calls cost money.
          </span>
        </p>
      )}
      <PromptSection run={run} rendered={conversation.prompt} />
      {hidden > 0 && (
        <div className="border-t px-4 py-2.5">
          <Button onClick={() => setIsWhole(true)}>Show {formatNumber(hidden)} earlier model calls</Button>
        </div>
      )}
      <p role="status" className="sr-only">
        {isOpen(run.status) ? latestText(turns.at(-1)) : ""}
      </p>
      {turns.slice(hidden).map((turn) => (
        <TurnCard key={turn.call} turn={turn} output={run.output} />
      ))}
    </Panel>
  );
}

/** Announced once for each change, not for each word. */
function latestText(turn: Turn | undefined): string {
  if (!turn) return "";
  if (turn.isInProgress) return `Model call ${turn.call}: the model is answering`;
  return turn.answer ? `Model call ${turn.call} answered` : "";
}

/** The usage of a run so far, and the rest of the agent's current budget. */
function Totals({ used, calls, target }: { used: AgentConversation; calls: number; target: Target }) {
  const budget = useQuery(useTRPC().targets.get.queryOptions(target)).data?.agent?.budget;
  const usage = formatUsage(used.usage);
  const facts: [name: string, value: string, isBad?: boolean][] = [
    ["model calls", formatNumber(calls)],
    ...(usage ? [["tokens", usage] satisfies [string, string]] : []),
    ...(calls > 0
      ? [["cost", used.costUsd === null ? "unknown" : formatUsd(used.costUsd)] satisfies [string, string]]
      : []),
    ...(budget ? budgetUse(budget, used) : []).map(({ of, left, limit }): [string, string, boolean] => {
      const format = of === "tokens" ? formatNumber : formatUsd;
      return [of === "tokens" ? "token budget" : "cost budget", `${format(left)} of ${format(limit)} left`, left === 0];
    }),
  ];
  return (
    <dl
      aria-label="Usage so far"
      className="flex flex-wrap gap-x-6 gap-y-1 border-b px-4 py-2 text-s text-ink-2 tabular-nums [&_dd]:font-[560] [&_dd]:text-ink [&>div]:flex [&>div]:gap-1.5"
    >
      {facts.map(([name, value, isBad]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={isBad ? "text-bad!" : ""}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The prompt with marked payload data, and the instructions of the agent. */
function PromptSection({ run, rendered }: { run: Run; rendered: AgentConversation["prompt"] }) {
  const [isWhole, setIsWhole] = useState(false);
  const input = useMemo(() => agentInputSchema.safeParse(run.input).data ?? null, [run.input]);
  const { pieces, isCut } = useMemo(
    () => cutPieces(input ? splitMarks(input) : [], isWhole ? maxPrompt : shown),
    [input, isWhole],
  );
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
        <p className="px-4 py-2.5 text-ink-2">{missingPromptText(run)}</p>
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

function missingPromptText(run: Run): string {
  if (run.input !== null) return "The input of this run is not an agent input.";
  return isOpen(run.status)
    ? "The prompt is created from the payload when the run starts."
    : "None: the run ended before it started, or the transform or prompt of the trigger failed.";
}
