"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsString, useQueryState } from "nuqs";
import { type ReactNode, useState } from "react";
import type { DeliveryDetails } from "../../../server/contract/delivery.ts";
import { countVerdicts } from "../../../server/shared/deliveries/describe-reason.ts";
import { ownHeaders } from "../../../server/contract/own-headers.ts";
import { hasTarget } from "../../../server/contract/project/target.ts";
import { formatNumber } from "../../../server/shared/format.ts";
import { JsonView, type JumpTo } from "../../json/json-view.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { MaskedNote } from "../../auth/masked-note.tsx";
import { ErrorNote, LoadingRows } from "../../ui/states.tsx";
import { Panel } from "../../ui/page-layout.tsx";
import { EndpointLink } from "../delivery-parts.tsx";
import { ComparePanel } from "../compare/compare-panel.tsx";
import { DeliveryBody } from "./delivery-body.tsx";
import { DeliveryHead } from "./delivery-head.tsx";
import { InferTrigger } from "./infer-trigger.tsx";
import { UnlistedVerdicts } from "./unlisted-verdicts.tsx";
import { VerdictTable } from "./verdict-table.tsx";

const redacted = "[redacted]";

/** One delivery: the request, the verdicts of the triggers, and the response. */
export function DeliveryView({ id }: { id: string }) {
  const trpc = useTRPC();
  const known = useQueryClient().getQueryData(trpc.deliveries.get.queryKey({ id }));
  const canChange = known !== undefined && changes(known);
  // A delivery may be a megabyte, and most never change.
  const delivery = useQuery(
    trpc.deliveries.get.queryOptions({ id }, { staleTime: canChange ? 0 : Infinity, meta: { live: canChange } }),
  );
  // Revealed values leave the memory of the page with it.
  const reveal = useMutation(trpc.deliveries.reveal.mutationOptions({ gcTime: 0 }));
  const revealed = reveal.data?.id === id ? reveal.data : undefined;
  if (delivery.data)
    return (
      <LoadedDelivery
        delivery={revealed ?? delivery.data}
        note={
          delivery.data.isMasked && (
            <MaskedNote what="delivery" reveal={{ ...reveal, data: revealed, mutate: () => reveal.mutate({ id }) }} />
          )
        }
      />
    );
  if (delivery.error)
    return (
      <ErrorNote title={`${id} could not be loaded`} error={delivery.error} retry={() => void delivery.refetch()} />
    );
  return <LoadingRows label="Loading the delivery" rows={8} />;
}

/** Whether it can be released, or found by a run that waits for its event later. */
function changes({ outcome, verdicts }: DeliveryDetails): boolean {
  return outcome === "held" || (outcome === "skipped" && verdicts.some((verdict) => verdict.outcome === "matched"));
}

function LoadedDelivery({ delivery, note }: { delivery: DeliveryDetails; note: ReactNode }) {
  const [compare, setCompare] = useQueryState("compare", parseAsString.withOptions({ history: "push" }));
  const [jumpTo, setJumpTo] = useState<JumpTo | null>(null);
  const { verdicts } = delivery;
  const evaluated = countVerdicts(delivery);
  const fired = verdicts.filter((verdict) => verdict.outcome === "matched" && hasTarget(verdict)).length;
  const canWake = delivery.outcome === "accepted" || delivery.outcome === "skipped";
  const showPath = delivery.body === null ? undefined : (pointer: string) => setJumpTo({ pointer });
  return (
    <>
      <DeliveryHead delivery={delivery} onCompare={(other) => void setCompare(other)} />
      {note}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {compare !== null && (
          <ComparePanel key={compare} delivery={delivery} other={compare} onClose={() => void setCompare(null)} />
        )}
        <ProblemPanel delivery={delivery} onPath={showPath} />
        <OriginPanel delivery={delivery} />
        <RoundedNumbers delivery={delivery} />
        {evaluated > 0 && (
          <Panel title="Trigger verdicts" note={`${formatNumber(evaluated)} evaluated · ${formatNumber(fired)} fired`}>
            {verdicts.length > 0 && (
              <VerdictTable verdicts={verdicts} woke={canWake ? (delivery.woke ?? []) : null} onPath={showPath} />
            )}
            <UnlistedVerdicts delivery={delivery} onPath={showPath} />
          </Panel>
        )}
        <InferTrigger delivery={delivery} />
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-2">
          <DeliveryBody delivery={delivery} jumpTo={jumpTo} />
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <HeadersPanel headers={delivery.headers} />
            <ResponsePanel delivery={delivery} />
          </div>
        </div>
      </div>
    </>
  );
}

/** What the service that received it first decided. */
function OriginPanel({ delivery: { origin } }: { delivery: DeliveryDetails }) {
  if (origin === null) return null;
  return (
    <Panel title="Origin" note={origin.url}>
      <div className="px-4 py-3">
        <p>
          <PlainText text={origin.text} />
        </p>
        {origin.differences.length > 0 && (
          <ul className="mt-2 list-disc pl-5">
            {origin.differences.map((difference) => (
              <li key={difference} className="break-words">
                <PlainText text={difference} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  );
}

/** Numbers that JSON has and JavaScript has not. */
function RoundedNumbers({ delivery }: { delivery: DeliveryDetails }) {
  const pointers = delivery.headers[ownHeaders.rounded];
  if (pointers === undefined) return null;
  return (
    <Panel title="Rounded numbers">
      <p className="px-4 py-3">
        JavaScript cannot represent some numbers of this body exactly. They were rounded, at{" "}
        <code className="break-all">
          <PlainText text={pointers} />
        </code>
        . Set <code>bigints: "string"</code> in the trigger to receive them as strings, then redeliver.
      </p>
    </Panel>
  );
}

/** The response that the sender received. */
function ResponsePanel({ delivery: { response } }: { delivery: DeliveryDetails }) {
  if (response === null) return null;
  return (
    <Panel title="Response" note={`${response.status}, reconstructed from the stored delivery`}>
      <HeaderList headers={Object.entries(response.headers)} />
      <div className="border-t">
        {response.body === null ? (
          <p className="px-4 py-3 text-ink-3">The answer to a handshake is not stored.</p>
        ) : (
          <JsonView text={response.body} label="Response body" copyLabel="Copy the response" maxHeight={240} />
        )}
      </div>
    </Panel>
  );
}

/** The headers as received. Credentials are never stored. */
function HeadersPanel({ headers }: { headers: Record<string, string> }) {
  const entries = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const hidden = entries.filter(([, value]) => value.includes(redacted)).length;
  return (
    <Panel title="Headers" note={`${entries.length}${hidden > 0 ? ` · ${hidden} redacted` : ""}`}>
      {entries.length === 0 ? (
        <p className="px-4 py-3 text-ink-3">No headers were stored.</p>
      ) : (
        <HeaderList headers={entries} />
      )}
    </Panel>
  );
}

function HeaderList({ headers }: { headers: readonly [name: string, value: string][] }) {
  return (
    <div
      role="group"
      aria-label="Headers, by name"
      tabIndex={0}
      className="max-h-[480px] overflow-y-auto px-4 py-3 -outline-offset-2"
    >
      <dl className="grid gap-x-5 gap-y-1 font-mono text-s sm:grid-cols-[minmax(0,max-content)_minmax(50%,1fr)]">
        {headers.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="break-all text-ink-3">{name}</dt>
            <dd className="mb-1 wrap-anywhere sm:mb-0">
              {value === redacted ? <Redacted /> : <PlainText text={value} />}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Redacted() {
  return (
    <span
      title="Credential, redacted before the delivery was stored"
      className="rounded-s bg-idle-soft px-1.5 py-px font-sans text-xs text-idle"
    >
      redacted
    </span>
  );
}

/** Why a delivery was rejected, with a link to the fix. */
function ProblemPanel({
  delivery,
  onPath,
}: {
  delivery: DeliveryDetails;
  onPath: ((pointer: string) => void) | undefined;
}) {
  const { problem, verdicts } = delivery;
  if (!problem) return null;
  // The reasons of triggers are in the verdict table.
  const errors = verdicts.length === 0 ? (problem.errors ?? []) : [];
  return (
    <Panel
      title={`${problem.status} ${problem.title}`}
      note={
        <Link href={`/errors/${encodeURIComponent(problem.code)}`} className="text-accent hover:underline">
          About this error
        </Link>
      }
    >
      <div className="px-4 py-3">
        <p className="break-words whitespace-pre-wrap">
          {problem.code === "unknown_endpoint" ? (
            <UnknownEndpoint delivery={delivery} />
          ) : (
            <PlainText text={problem.detail} />
          )}
        </p>
      </div>
      {errors.length > 0 && (
        <ul className="grid gap-1 border-t px-4 py-3">
          {errors.map((error) => (
            <li key={`${error.pointer} ${error.code} ${error.message}`} className="flex flex-wrap gap-x-3 break-words">
              <button
                type="button"
                disabled={!onPath}
                onClick={() => onPath?.(error.pointer)}
                className="cursor-pointer font-mono text-accent underline decoration-line-strong underline-offset-2 disabled:cursor-default disabled:text-ink disabled:no-underline"
              >
                <PlainText text={error.pointer || "the whole body"} />
              </button>
              <span className="text-ink-2">
                <PlainText text={error.message} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function UnknownEndpoint({ delivery: { endpoint, probableEndpoint } }: { delivery: DeliveryDetails }) {
  return (
    <>
      There is no endpoint{" "}
      <code className="break-all">
        <PlainText text={endpoint || "(empty)"} />
      </code>
      {probableEndpoint === null ? (
        <>
          .{" "}
          <Link href="/" className="text-accent underline">
            See all endpoints
          </Link>
        </>
      ) : (
        <>
          ; did you mean <EndpointLink endpoint={probableEndpoint} />?
        </>
      )}
    </>
  );
}
