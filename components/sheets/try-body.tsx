"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import type { Reason, Verdict } from "../../server/contract/delivery.ts";
import { formatRelativeTime } from "../../server/domain/format.ts";
import { visibleText } from "../../server/domain/schema/visible-text.ts";
import { readBody } from "../deliveries/read-body.ts";
import { reasonParts } from "../deliveries/say-reason.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/states.tsx";
import { Menu } from "../ui/menu.tsx";
import { StatusBadge } from "../ui/badges.tsx";
import { deliveryOutcomes, verdictOutcomes } from "../ui/statuses.ts";
import { useNow } from "../ui/time.tsx";
import { findFault } from "./find-fault.ts";
import { useVerdicts, type VerdictsState } from "./use-verdicts.ts";

interface Props {
  endpoint: string;
  /** Its triggers, without duplicates, in evaluation order. */
  triggers: readonly string[];
  version: string;
}

/** A text area for a body, with the verdict of each trigger as you type. Nothing is sent or stored. */
export function TryBody({ endpoint, triggers, version }: Props) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const { result, isPending, retry } = useVerdicts({ endpoint, text, version });
  const fault = result.kind === "not-json" ? findFault(text, result.detail) : null;
  const goToFault = () => {
    field.current?.focus();
    if (fault !== null) field.current?.setSelectionRange(fault, Math.min(text.length, fault + 1));
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <label htmlFor={id} className="mr-auto text-s font-semibold">
          JSON body
        </label>
        <ExampleMenu triggers={triggers} onText={setText} />
        <RecentMenu endpoint={endpoint} onText={setText} />
      </div>
      <textarea
        ref={field}
        id={id}
        value={text}
        onChange={(event) => setText(event.target.value)}
        rows={12}
        spellCheck={false}
        autoComplete="off"
        placeholder="Paste JSON here"
        aria-invalid={result.kind === "not-json" || undefined}
        aria-describedby={`${id}-result`}
        className="min-h-40 w-full resize-y rounded-m border border-line-strong bg-raised px-3 py-2.5 font-mono text-s/[1.6] [tab-size:2] placeholder:text-ink-3 aria-invalid:border-bad"
      />
      <div id={`${id}-result`} role="status" aria-busy={isPending} className="min-h-24">
        <Result result={result} count={triggers.length} goToFault={fault === null ? null : goToFault} retry={retry} />
      </div>
    </div>
  );
}

function Result({
  result,
  count,
  goToFault,
  retry,
}: {
  result: VerdictsState;
  count: number;
  goToFault: (() => void) | null;
  retry: () => void;
}) {
  if (result.kind === "verdicts") return <VerdictList verdicts={result.verdicts} />;
  if (result.kind === "failed")
    return <ErrorNote error={result.error} title="The triggers could not be evaluated" retry={retry} />;
  if (result.kind === "none")
    return (
      <p className="text-s text-ink-3">
        {count === 1 ? "The trigger is" : `The ${count} triggers are`} evaluated as you type. Nothing is sent or
        started.
      </p>
    );
  return (
    <div className="flex items-start justify-between gap-3 rounded-m bg-bad-soft px-3 py-2.5">
      <div className="min-w-0">
        <p className="font-semibold text-bad">Invalid JSON</p>
        <p className="break-words">{result.detail}</p>
      </div>
      {goToFault && (
        <Button size="s" onClick={goToFault}>
          Go to error
        </Button>
      )}
    </div>
  );
}

/** A generated body for one of the triggers. */
function ExampleMenu({ triggers, onText }: { triggers: readonly string[]; onText: (text: string) => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const take = async (slug: string) =>
    onText(JSON.stringify((await queries.fetchQuery(trpc.triggers.get.queryOptions({ slug }))).example, null, 2));
  return (
    <Menu
      label="Start from an example"
      size="s"
      items={triggers.map((slug) => ({
        id: slug,
        label: slug,
        note: "generated from its schema",
        onSelect: () => void take(slug),
      }))}
    >
      Example
    </Menu>
  );
}

/** The body of a received delivery. */
function RecentMenu({ endpoint, onText }: { endpoint: string; onText: (text: string) => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const now = useNow();
  const recent = useQuery(trpc.deliveries.list.queryOptions({ endpoint, limit: 8 }));
  const take = async (id: string) => {
    const body = readBody((await queries.fetchQuery(trpc.deliveries.get.queryOptions({ id }))).body);
    onText(body?.text ?? "");
  };
  const deliveries = (recent.data?.data ?? []).filter(({ bodyBytes }) => bodyBytes > 0);
  if (deliveries.length === 0) return null;
  return (
    <Menu
      label="Start from a recent delivery"
      size="s"
      items={deliveries.map(({ id, receivedAt, responseStatus, outcome }) => ({
        id,
        label: `${responseStatus} ${deliveryOutcomes[outcome].label}`,
        note: formatRelativeTime(receivedAt, now),
        onSelect: () => void take(id),
      }))}
    >
      Delivery
    </Menu>
  );
}

/** The verdict of each trigger in compact form: JSON Pointer, expected value, received value. */
function VerdictList({ verdicts }: { verdicts: readonly Verdict[] }) {
  return (
    <ul aria-label="Trigger verdicts" className="divide-y rounded-m border">
      {verdicts.map((verdict) => (
        <li key={verdict.attachmentId} className="border-line px-3 py-2">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <code className="font-medium">{verdict.trigger}</code>
            <span className="text-s text-ink-3">→ {verdict.target.slug}</span>
            <span className="ml-auto">
              <StatusBadge
                status={verdictOutcomes[verdict.outcome]}
                label={verdict.outcome === "matched" ? "would fire" : undefined}
              />
            </span>
          </div>
          {verdict.reasons.length > 0 && (
            <ul className="mt-1 grid gap-1">
              {verdict.reasons.map((reason, index) => (
                <ReasonLine key={index} reason={reason} />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

function ReasonLine({ reason }: { reason: Reason }) {
  const { where, said, was } = reasonParts(reason);
  return (
    <li className="text-s break-words text-ink-2">
      {where !== null && <code className="text-ink">{visibleText(where, 200)}</code>} {visibleText(said, 300)}
      {was !== null &&
        (reason.actual === null ? (
          `, ${was}`
        ) : (
          <>
            , was <code className="break-all text-ink">{visibleText(was, 200)}</code>
          </>
        ))}
    </li>
  );
}
