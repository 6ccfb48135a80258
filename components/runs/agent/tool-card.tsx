import {
  CircleCheck,
  CircleDashed,
  CircleSlash,
  CircleX,
  Hand,
  LoaderCircle,
  TriangleAlert,
  Wrench,
} from "lucide-react";
import type { ToolState, ToolUse } from "../../../server/contract/agent/conversation.ts";
import type { Json } from "../../../server/contract/json.ts";
import { formatDuration } from "../../../server/shared/format.ts";
import { JsonView } from "../../json/json-view.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import { RawText } from "../../json/raw-text.tsx";
import { StatusBadge } from "../../ui/badges.tsx";
import type { StatusStyle } from "../../ui/statuses.ts";
import { DecisionLine } from "./approval-decision.tsx";

/** The label of each state of a tool call. */
const toolFaces: Record<ToolState, StatusStyle> = {
  done: { label: "done", icon: CircleCheck, tone: "ok" },
  failed: { label: "failed", icon: TriangleAlert, tone: "bad" },
  invalid: { label: "not called", icon: CircleX, tone: "bad" },
  denied: { label: "denied", icon: Hand, tone: "idle" },
  running: { label: "running", icon: LoaderCircle, tone: "run" },
  waiting: { label: "waits for approval", icon: Hand, tone: "wait" },
  due: { label: "pending", icon: CircleDashed, tone: "idle" },
  stopped: { label: "skipped", icon: CircleSlash, tone: "idle" },
};

/** A tool call: the arguments, the result, and the decision. */
export function ToolCard({ use }: { use: ToolUse }) {
  const { toolName, position, state, input, isMalformed, approval } = use;
  const title = outputTitles[state];
  return (
    <section
      aria-label={`Tool ${toolName}, call ${position}`}
      className="@container min-w-0 overflow-hidden rounded-m border"
    >
      <div className="flex min-h-8 flex-wrap items-center gap-x-2.5 gap-y-1 px-3 py-1">
        <Wrench aria-hidden size={13} className="shrink-0 text-ink-3" />
        <h4 className="min-w-0 font-mono text-s font-semibold break-all">
          <PlainText text={toolName} />
        </h4>
        <StatusBadge status={toolFaces[state]} />
        {use.durationMs !== null && (state === "done" || state === "failed") && (
          <span className="ml-auto text-s text-ink-2 tabular-nums">{formatDuration(use.durationMs)}</span>
        )}
      </div>
      {approval?.decidedAt && <DecisionLine approval={approval} />}
      <div className={`grid border-t ${title ? "@2xl:grid-cols-[2fr_3fr] @2xl:divide-x" : ""}`}>
        <Value
          title="Arguments"
          note={isMalformed ? "not a JSON object" : undefined}
          value={input}
          label={`Arguments of ${toolName}, call ${position}`}
        />
        {title && (
          <Value
            title={title}
            value={use.output}
            label={`${title} of ${toolName}, call ${position}`}
            isWords={state !== "done"}
          />
        )}
      </div>
    </section>
  );
}

/** The title of the column next to the arguments; `null`: there is none. */
const outputTitles: Record<ToolUse["state"], string | null> = {
  done: "Result",
  failed: "Error",
  invalid: "Reason",
  denied: "Message to the model",
  running: null,
  waiting: null,
  due: null,
  stopped: null,
};

function Value({
  title,
  note,
  value,
  label,
  isWords = false,
}: {
  title: string;
  note?: string | undefined;
  value: Json;
  label: string;
  isWords?: boolean;
}) {
  const isText = isWords || (typeof value === "string" && note !== undefined);
  return (
    <div className="min-w-0 border-t first:border-t-0 @2xl:border-t-0">
      <p className="px-4 pt-1.5 text-xs text-ink-3">
        {title}
        {note && <span className="text-bad"> · {note}</span>}
      </p>
      {isText ? (
        <RawText text={valueText(value)} label={label} maxHeight={240} />
      ) : (
        <JsonView text={JSON.stringify(value)} label={label} copyLabel={`Copy: ${label}`} maxHeight={240} />
      )}
    </div>
  );
}

function valueText(value: Json): string {
  if (value === null) return "Denied without a reason.";
  return typeof value === "string" ? value : JSON.stringify(value);
}
