"use client";

import { useMemo, useState } from "react";
import type { AgentTrace } from "../../../server/contract/agent-trace.ts";
import type { Run } from "../../../server/contract/run.ts";
import type { TimelineEntry } from "../../../server/contract/timeline.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { LoadingRows } from "../../ui/faces.tsx";
import { Panel } from "../../ui/panel.tsx";
import { isOpen } from "../../ui/statuses.ts";
import { type Turn, toConversation } from "./conversation.ts";
import { PromptSection } from "./prompt-section.tsx";
import { Totals } from "./totals.tsx";
import { TurnCard } from "./turn-card.tsx";
import { formatNumber } from "../../../server/domain/format.ts";

interface Props {
  run: Run;
  trace: AgentTrace | undefined;
  entries: readonly TimelineEntry[];
  error: unknown;
  retry: () => void;
}

/** The prompt, the answers of the model, the tool calls, and the usage of a run. */
export function ConversationPanel({ run, trace, entries, error, retry }: Props) {
  if (trace) return <Conversation run={run} trace={trace} entries={entries} />;
  return (
    <Panel title="Conversation">
      {error ? (
        <ErrorNote what="The agent trace could not be loaded" error={error} retry={retry} />
      ) : (
        <LoadingRows label="Loading the agent trace" rows={6} />
      )}
    </Panel>
  );
}

const maxTurns = 30;

function Conversation({ run, trace, entries }: { run: Run; trace: AgentTrace; entries: readonly TimelineEntry[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const turns = useMemo(() => toConversation({ trace, entries, run }), [trace, entries, run]);
  const hidden = isWhole ? 0 : Math.max(0, turns.length - maxTurns);
  const answered = turns.filter(({ answer }) => answer !== null).length;
  return (
    <Panel title="Conversation">
      <Totals trace={trace} calls={answered} target={run.target} />
      <PromptSection run={run} trace={trace} />
      {hidden > 0 && (
        <div className="border-t px-4 py-2.5">
          <Button onClick={() => setIsWhole(true)}>Show {formatNumber(hidden)} earlier model calls</Button>
        </div>
      )}
      <p role="status" className="sr-only">
        {isOpen(run.status) ? sayLatest(turns.at(-1)) : ""}
      </p>
      {turns.slice(hidden).map((turn) => (
        <TurnCard key={turn.call} turn={turn} output={run.output} />
      ))}
    </Panel>
  );
}

/** Announced once for each change, not for each word. */
function sayLatest(turn: Turn | undefined): string {
  if (!turn) return "";
  if (turn.isAsking) return `Model call ${turn.call}: the model is answering`;
  return turn.answer ? `Model call ${turn.call} answered` : "";
}
