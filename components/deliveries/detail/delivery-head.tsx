"use client";

import { useQuery } from "@tanstack/react-query";
import type { DeliveryDetails } from "../../../server/contract/delivery.ts";
import { ownHeaders } from "../../../server/contract/own-headers.ts";
import { NeighbourButtons, useNear } from "../../list/trail.tsx";
import { useTRPC, useTRPCClient } from "../../trpc/trpc.ts";
import { useTabTitle } from "../../ui/browser.ts";
import { CopyButton, ShortId } from "../../ui/controls/copy-button.tsx";
import { Facts, PageTitle } from "../../ui/page-layout.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import { DeliveryActions } from "./delivery-actions.tsx";
import { deliveryTitle, OutcomeBadge, redeliveriesShown, wokenShown } from "../delivery-parts.tsx";
import { formatBytes, formatCount, formatDuration, formatUtc } from "../../../server/shared/format.ts";

/** The title, the facts and the actions of a delivery. */
export function DeliveryHead({ delivery, onCompare }: { delivery: DeliveryDetails; onCompare: (id: string) => void }) {
  const sha = delivery.bodySha256;
  const releasedAt = delivery.headers[ownHeaders.releasedAt];
  const client = useTRPCClient();
  const near = useNear({
    page: "/deliveries",
    id: delivery.id,
    at: delivery.receivedAt,
    fetch: (range) => client.deliveries.list.query(range),
  });
  useTabTitle(deliveryTitle(delivery));
  const first = delivery.headers[ownHeaders.repeatOf];
  const key = delivery.headers["idempotency-key"] ?? delivery.headers["webhook-id"];
  return (
    <>
      <PageTitle
        list={{ href: near.href, label: "Deliveries" }}
        id={delivery.id}
        title={<PlainText text={`${delivery.method} /triggers/${delivery.endpoint}`} />}
        nav={<NeighbourButtons page="/deliveries" noun="delivery" id={delivery.id} ids={near.ids} />}
      >
        <OutcomeBadge delivery={delivery} />
        <DeliveryActions delivery={delivery} onCompare={onCompare} />
      </PageTitle>
      <Facts
        facts={[
          [
            "received",
            <span key="at">
              {formatUtc(delivery.receivedAt)} · <RelativeTime iso={delivery.receivedAt} />
            </span>,
          ],
          [
            "response time",
            <span key="took" className="tabular-nums">
              {formatDuration(delivery.durationMs)}
            </span>,
          ],
          ["event", delivery.event && <PlainText key="event" text={delivery.event} />],
          ["sent from", sentFrom(delivery)],
          ["handshake", handshakeOf(delivery)],
          ["body", formatBytes(delivery.bodyBytes)],
          ["SHA-256", sha && <Sha key="sha" sha={sha} />],
          [
            "Idempotency-Key",
            key === undefined ? null : (
              <code key="key" className="break-all">
                <PlainText text={key} />
              </code>
            ),
          ],
          [
            "redelivery of",
            delivery.redeliveryOf && (
              <ShortId
                key="of"
                id={delivery.redeliveryOf}
                href={`/deliveries/${encodeURIComponent(delivery.redeliveryOf)}`}
              />
            ),
          ],
          ["repeat of", first && <ShortId key="first" id={first} href={`/deliveries/${encodeURIComponent(first)}`} />],
          ["released", releasedAt && <RelativeTime key="released" iso={releasedAt} />],
          ["woke", delivery.woke && <Woken key="woke" woke={delivery.woke} />],
          ["redelivered as", <Redeliveries key="as" id={delivery.id} />],
        ]}
      />
    </>
  );
}

/** `null`: sent by a webhook sender. */
function sentFrom({ headers }: DeliveryDetails): string | null {
  if (headers[ownHeaders.sentFrom] !== "form") return null;
  const only = headers[ownHeaders.sentTo];
  const notes = [
    only === undefined ? "" : `, to ${only} only`,
    headers[ownHeaders.signatureCheck] === "skipped" ? ", signature not checked" : "",
  ];
  return `a form in the app${notes.join("")}`;
}

/** `null`: the request was an event. */
function handshakeOf({ headers }: DeliveryDetails): string | null {
  const scheme = headers[ownHeaders.handshake];
  return scheme === undefined ? null : `answered by ${scheme}; no trigger was evaluated`;
}

function Sha({ sha }: { sha: string }) {
  return (
    <span className="-my-1.5 inline-flex items-center">
      <code title={sha}>{`${sha.slice(0, 4)}…${sha.slice(-4)}`}</code>
      <CopyButton text={sha} label="Copy the SHA-256" />
    </span>
  );
}

/** The runs that waited for it, even if it was received before or no trigger of that time matched it. */
function Woken({ woke }: { woke: NonNullable<DeliveryDetails["woke"]> }) {
  return (
    <span className="inline-flex flex-wrap gap-x-3">
      {woke.slice(0, wokenShown).map(({ runId }) => (
        <ShortId key={runId} id={runId} href={`/runs/${encodeURIComponent(runId)}`} />
      ))}
      {woke.length > wokenShown && (
        <span className="font-normal text-ink-3">and {formatCount(woke.length - wokenShown, "more run")}</span>
      )}
    </span>
  );
}

function Redeliveries({ id }: { id: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.deliveries.list.queryOptions({ redeliveryOf: id, limit: redeliveriesShown }));
  if (!data || data.data.length === 0) return <span className="font-normal text-ink-3">none yet</span>;
  return (
    <span className="inline-flex flex-wrap gap-x-3">
      {data.data.map((again) => (
        <ShortId key={again.id} id={again.id} href={`/deliveries/${encodeURIComponent(again.id)}`} />
      ))}
      {data.nextCursor !== null && <span className="font-normal text-ink-3">and more</span>}
    </span>
  );
}
