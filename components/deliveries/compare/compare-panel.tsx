"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useMemo } from "react";
import type { DeliveryDetails } from "../../../server/contract/delivery.ts";
import { formatCount } from "../../../server/domain/format.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { IconButton } from "../../ui/button.tsx";
import { ErrorNote, LoadingRows } from "../../ui/states.tsx";
import { Panel, Cell, Row, Table } from "../../ui/page-layout.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { ShortId } from "../../ui/copy-button.tsx";
import { evaluatedText } from "../detail/full-delivery.ts";
import { OutcomeBadge } from "../outcome-badge.tsx";
import { diffHeaders, diffJson, diffVerdicts } from "./diff-delivery.ts";

interface DifferenceRow {
  name: string;
  kind: "added" | "removed" | "changed" | "written";
  before: string | null;
  after: string | null;
}

const kindLabels: Record<DifferenceRow["kind"], string> = {
  added: "only in the other",
  removed: "only in this",
  changed: "changed",
  written: "other notation",
};

const maxDifferences = 200;

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
  const second = useQuery(
    trpc.deliveries.get.queryOptions({ id: other }, { staleTime: Infinity, retry: false, meta: { live: false } }),
  );
  return (
    <Panel title="Comparison" note={<IconButton label="Close the comparison" icon={X} size="s" onClick={onClose} />}>
      {second.data ? (
        <Comparison one={delivery} two={second.data} />
      ) : second.error ? (
        <div className="p-3">
          <ErrorNote error={second.error} title={`${other} could not be loaded`} retry={() => void second.refetch()} />
        </div>
      ) : (
        <LoadingRows label="Loading the other delivery" rows={5} />
      )}
    </Panel>
  );
}

function Comparison({ one, two }: { one: DeliveryDetails; two: DeliveryDetails }) {
  const body = useMemo(() => differencesOfBodies(one, two), [one, two]);
  const verdicts = useMemo(() => diffVerdicts(one, two), [one, two]);
  const headers = useMemo(() => diffHeaders(one.headers, two.headers), [one, two]);
  return (
    <div>
      <div className="grid gap-x-6 gap-y-1 border-b px-4 py-2.5 sm:grid-cols-2">
        <Side label="this" delivery={one} />
        <Side label="other" delivery={two} />
      </div>
      <DifferenceTable
        title="Bodies"
        same={body.same}
        rows={body.rows.map(({ pointer, kind, before, after }) => ({
          name: pointer || "the whole body",
          kind,
          before,
          after,
        }))}
        more={body.rows.length >= maxDifferences ? `Only the first ${maxDifferences} differences are shown.` : null}
      />
      <DifferenceTable
        title="Verdicts"
        same="All triggers have the same verdicts, for the same reasons."
        rows={verdicts.map(withKind)}
        more={null}
      />
      <DifferenceTable title="Headers" same="No differences." rows={headers.map(withKind)} more={null} />
    </div>
  );
}

function Side({ label, delivery }: { label: string; delivery: DeliveryDetails }) {
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

function differencesOfBodies(one: DeliveryDetails, two: DeliveryDetails) {
  if (one.bodySha256 !== null && one.bodySha256 === two.bodySha256)
    return { same: "The bodies are identical, byte for byte.", rows: [] };
  if (!one.body || !two.body) return { same: "One of the deliveries has no stored body.", rows: [] };
  const [first, second] = [evaluatedText(one), evaluatedText(two)];
  const rows = first === null || second === null ? null : diffJson(first, second, maxDifferences);
  if (rows === null)
    return {
      same: "The bodies differ. They cannot be compared by path, because one of them is neither JSON nor a form.",
      rows: [],
    };
  return { same: "The values are the same. Only whitespace or the order of keys differs.", rows };
}

function withKind<Row extends { before: string | null; after: string | null }>(row: Row) {
  return {
    ...row,
    kind: row.before === null ? ("added" as const) : row.after === null ? ("removed" as const) : ("changed" as const),
  };
}

/** Differences of one kind, side by side. `same` is shown when there are none, `more` when the list is cut. */
function DifferenceTable({
  title,
  same,
  rows,
  more,
}: {
  title: string;
  same: string;
  rows: readonly DifferenceRow[];
  more: string | null;
}) {
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
                <code className="block [overflow-wrap:anywhere] xl:min-w-44">
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
      <code className={`rounded-s box-decoration-clone px-1 [overflow-wrap:anywhere] whitespace-pre-wrap ${tone}`}>
        <PlainText text={text} />
      </code>
    </span>
  );
}
