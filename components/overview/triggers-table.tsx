"use client";

import { Bot, Workflow } from "lucide-react";
import { CopyButton } from "../ui/copy-button.tsx";
import { Cell, Row, Table } from "../ui/table.tsx";
import { conditionsOf } from "../../server/domain/schema/conditions.ts";
import type { Trigger } from "./trigger.ts";

/** Endpoint → trigger → target, a row for each attachment. An endpoint that several share is named once. */
export function TriggersTable({ triggers }: { triggers: Trigger[] }) {
  const rows = triggers.toSorted((one, other) => compare(one.endpoint, other.endpoint) || compare(one.attachmentId, other.attachmentId));
  return (
    <Table label="Triggers" columns={["Endpoint", "Trigger", "Fires when", "Target"]}>
      {rows.map((trigger, index) => (
        <Row key={trigger.attachmentId}>
          <Cell name="Endpoint">
            <Endpoint trigger={trigger} isRepeated={rows[index - 1]?.endpoint === trigger.endpoint} />
          </Cell>
          <Cell name="Trigger">
            <span className="font-semibold" title={trigger.file}>
              {trigger.slug}
            </span>
          </Cell>
          <Cell name="Fires when">
            <FiresWhen trigger={trigger} />
          </Cell>
          <Cell name="Target">
            <Target target={trigger.target} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Endpoint({ trigger, isRepeated }: { trigger: Trigger; isRepeated: boolean }) {
  return (
    <span className="flex items-center gap-1.5">
      <span className="hidden text-xs text-ink-3 sm:inline">POST</span>
      <code className={`break-words ${isRepeated ? "md:text-ink-3" : ""}`}>{trigger.path}</code>
      <span className={`-my-1.5 ${isRepeated ? "md:hidden" : ""}`}>
        <CopyButton text={() => new URL(trigger.path, location.origin).href} label={`Copy the URL of ${trigger.endpoint}`} />
      </span>
    </span>
  );
}

function FiresWhen({ trigger }: { trigger: Trigger }) {
  const conditions = conditionsOf(trigger.request, trigger.filter);
  if (conditions.length === 0) return <span className="text-ink-3">any JSON of its shape comes</span>;
  return (
    <span className="text-ink-2">
      {conditions.map(({ place, words }, index) => (
        <span key={place}>
          {index > 0 && ", "}
          <code className="text-ink">{place}</code> {words}
        </span>
      ))}
    </span>
  );
}

function Target({ target }: { target: Trigger["target"] }) {
  const Icon = target.kind === "agent" ? Bot : Workflow;
  return (
    <span className="inline-flex items-center gap-1.5" title={target.kind}>
      <Icon aria-hidden size={14} className="shrink-0 text-ink-3" />
      <span className="sr-only">{target.kind} </span>
      {target.slug}
    </span>
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
