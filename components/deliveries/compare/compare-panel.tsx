"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { DeliveryComparison, DeliveryDetails, DeliveryDifference } from "../../../server/contract/delivery.ts";
import { formatCount } from "../../../server/shared/format.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { IconButton } from "../../ui/controls/button.tsx";
import { ShortId } from "../../ui/controls/copy-button.tsx";
import { Cell, Panel, Row, Table } from "../../ui/page-layout.tsx";
import { ErrorNote, LoadingRows } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { OutcomeBadge } from "../delivery-parts.tsx";

const kindLabels: Record<DeliveryDifference["kind"], string> = {
  added: "only in the other",
  removed: "only in this",
  changed: "changed",
  written: "other notation",
};

/** The differences between two deliveries: bodies by path, verdicts, headers. */
export function ComparePanel({
  delivery,
  other,
  onClose,
}: {
  delivery: DeliveryDetails;
  other: string;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const compared = useQuery(
    trpc.deliveries.compare.queryOptions(
      { id: delivery.id, other },
      { staleTime: Infinity, retry: false, meta: { live: false } },
    ),
  );
  return (
    <Panel title="Comparison" note={<IconButton label="Close the comparison" icon={X} size="s" onClick={onClose} />}>
      {compared.data ? (
        <>
          <div className="grid gap-x-6 gap-y-1 border-b px-4 py-2.5 sm:grid-cols-2">
            <Side label="this" delivery={delivery} />
            <Side label="other" delivery={compared.data.other} />
          </div>
          {compared.data.parts.map((part) => (
            <DifferenceTable key={part.title} {...part} />
          ))}
        </>
      ) : compared.error ? (
        <div className="p-3">
          <ErrorNote
            error={compared.error}
            title={`${other} could not be loaded`}
            retry={() => void compared.refetch()}
          />
        </div>
      ) : (
        <LoadingRows label="Loading the other delivery" rows={5} />
      )}
    </Panel>
  );
}

function Side({ label, delivery }: { label: string; delivery: DeliveryComparison["other"] }) {
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-2">
      <span className="w-9 text-s text-ink-3">{label}</span>
      <ShortId id={delivery.id} href={`/deliveries/${encodeURIComponent(delivery.id)}`} />
      <OutcomeBadge delivery={delivery} />
      <span className="text-s text-ink-3">
        <RelativeTime iso={delivery.receivedAt} />
      </span>
    </p>
  );
}

/** Differences of one kind, side by side. `same` is shown when there are none, `more` when the list is cut. */
function DifferenceTable({ title, same, differences: rows, more }: DeliveryComparison["parts"][number]) {
  return (
    <section aria-label={`${title}, compared`} className="border-b last:border-0">
      <h3 className="flex items-center gap-3 px-4 pt-3 pb-1 text-s font-semibold">
        {title}
        <span className="font-normal text-ink-3">{rows.length > 0 && formatCount(rows.length, "difference")}</span>
      </h3>
      {rows.length === 0 ? (
        <p className="px-4 pb-3 text-ink-2">{same}</p>
      ) : (
        <Table label={`${title}, compared`} columns={["Where", "Difference", "This", "Other"]}>
          {rows.map((row) => (
            <Row key={row.name}>
              <Cell name="Where">
                <code className="block wrap-anywhere xl:min-w-44">
                  <PlainText text={row.name} />
                </code>
              </Cell>
              <Cell name="Difference">
                <span className="whitespace-nowrap text-ink-2">{kindLabels[row.kind]}</span>
              </Cell>
              <Cell name="This">
                <Value text={row.before} tone="bg-bad-soft" />
              </Cell>
              <Cell name="Other">
                <Value text={row.after} tone="bg-ok-soft" />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      {more && <p className="px-4 pb-3 text-ink-3">{more}</p>}
    </section>
  );
}

function Value({ text, tone }: { text: string | null; tone: string }) {
  if (text === null) return <span className="text-ink-3">–</span>;
  return (
    <span className="block xl:min-w-44">
      <code className={`rounded-s box-decoration-clone px-1 wrap-anywhere whitespace-pre-wrap ${tone}`}>
        <PlainText text={text} />
      </code>
    </span>
  );
}
