"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { Delivery } from "../../server/contract/delivery.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { ErrorFace, LoadingRows } from "../ui/faces.tsx";
import { Facts } from "../ui/facts.tsx";
import { PageTitle } from "../ui/page-title.tsx";
import { Panel } from "../ui/panel.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { deliveryOutcomes } from "../ui/statuses.ts";
import { formatBytes, formatDuration } from "../ui/time.ts";
import { decodeBody } from "./decode-body.ts";
import { VerdictTable } from "./verdict-table.tsx";

/** One delivery: its answer, what each trigger decided and why, and what came. */
export function DeliveryView({ id }: { id: string }) {
  const trpc = useTRPC();
  const delivery = useQuery(trpc.deliveries.get.queryOptions({ id }));
  if (delivery.data) return <LoadedDelivery delivery={delivery.data} />;
  if (delivery.error) return <ErrorFace what={`${id} could not be read`} message={delivery.error.message} retry={() => void delivery.refetch()} />;
  return <LoadingRows label="The delivery is being read" rows={8} />;
}

function LoadedDelivery({ delivery }: { delivery: Delivery }) {
  const face = deliveryOutcomes[delivery.outcome];
  const sha = delivery.bodySha256;
  const matched = delivery.verdicts.filter((verdict) => verdict.outcome === "matched").length;
  return (
    <>
      <PageTitle crumb={{ href: "/#deliveries", label: "Deliveries", rest: `${delivery.method} /triggers/${delivery.endpoint}` }} id={delivery.id}>
        <StatusBadge face={face} label={`${delivery.responseStatus} ${face.label}`} />
      </PageTitle>
      <Facts
        facts={[
          ["received", <RelativeTime key="at" iso={delivery.receivedAt} />],
          ["answered in", formatDuration(delivery.durationMs)],
          ["body", formatBytes(delivery.bodyBytes)],
          ["sha256", sha && <code key="sha" title={sha}>{`${sha.slice(0, 4)}…${sha.slice(-4)}`}</code>],
        ]}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Answer delivery={delivery} />
        {delivery.verdicts.length > 0 && (
          <Panel title="What each trigger decided" note={`${delivery.verdicts.length} evaluated · ${matched} matched`}>
            <VerdictTable verdicts={delivery.verdicts} />
          </Panel>
        )}
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-2">
          <Body delivery={delivery} />
          <Headers headers={delivery.headers} />
        </div>
      </div>
    </>
  );
}

function Answer({ delivery: { problem } }: { delivery: Delivery }) {
  if (!problem) return null;
  return (
    <Panel
      title={`${problem.status} ${problem.title}`}
      note={
        <Link href={`/errors/${problem.code}`} className="text-accent hover:underline">
          why, and what to do
        </Link>
      }
    >
      <p className="px-4 py-3 break-words whitespace-pre-wrap">{problem.detail}</p>
      {problem.errors && (
        <ul className="border-t px-4 py-3">
          {problem.errors.map((error) => (
            <li key={`${error.pointer} ${error.code} ${error.message}`} className="flex flex-wrap gap-x-3 break-words">
              <code>{error.pointer || "the whole body"}</code>
              <span className="text-ink-2">{error.message}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Body({ delivery }: { delivery: Delivery }) {
  const body = decodeBody(delivery.body);
  return (
    <Panel title="Body" note={body.kind === "bytes" ? "not text: shown as hexadecimal" : "as it came"}>
      {body.kind === "none" ? (
        <p className="px-4 py-3 text-ink-3">{delivery.bodyBytes === 0 ? "There was none." : "It was not kept: the request was refused before its body was read."}</p>
      ) : (
        <CodeBlock label="Body" text={body.text} copyLabel="Copy the body" />
      )}
    </Panel>
  );
}

function Headers({ headers }: { headers: Record<string, string> }) {
  const entries = Object.entries(headers);
  return (
    <Panel title="Headers" note={`${entries.length} kept`}>
      <dl className="grid gap-x-5 gap-y-1 px-4 py-3 font-mono text-s sm:grid-cols-[max-content_minmax(0,1fr)]">
        {entries.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
