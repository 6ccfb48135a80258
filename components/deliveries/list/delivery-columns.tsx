import { Repeat } from "lucide-react";
import type { DeliverySummary } from "../../../server/contract/delivery.ts";
import { PlainText } from "../../json/plain-text.tsx";
import type { Column } from "../../list/column.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Decision } from "../decision.tsx";
import { OutcomeBadge } from "../outcome-badge.tsx";
import { formatBytes, formatDuration } from "../../../server/domain/format.ts";

const number = "block whitespace-nowrap text-ink-2 tabular-nums";

export const deliveryColumns: readonly Column<DeliverySummary>[] = [
  { id: "time", name: "Received", width: "84px", cell: ({ receivedAt }) => <RelativeTime iso={receivedAt} /> },
  { id: "answer", name: "Response", width: "124px", cell: (delivery) => <OutcomeBadge delivery={delivery} /> },
  {
    id: "endpoint",
    name: "Endpoint",
    width: "minmax(88px, 1fr)",
    cell: (delivery) => <Endpoint delivery={delivery} />,
  },
  { id: "decided", name: "Decision", width: "minmax(0, 3fr)", cell: (delivery) => <Decision delivery={delivery} /> },
  {
    id: "size",
    name: "Body",
    width: "68px",
    isHiddenNarrow: true,
    from: "lg",
    cell: ({ bodyBytes }) => <span className={number}>{formatBytes(bodyBytes)}</span>,
  },
  {
    id: "took",
    name: "Duration",
    width: "68px",
    isHiddenNarrow: true,
    from: "lg",
    cell: ({ durationMs }) => <span className={number}>{formatDuration(durationMs)}</span>,
  },
];

function Endpoint({ delivery: { endpoint, redeliveryOf } }: { delivery: DeliverySummary }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <code title={endpoint} className="truncate">
        <PlainText text={endpoint || "(empty)"} />
      </code>
      {redeliveryOf !== null && (
        <span
          title={`Redelivery of ${redeliveryOf}`}
          className="inline-flex shrink-0 items-center gap-1 text-xs text-ink-3"
        >
          <Repeat aria-hidden size={12} />
          redelivery
        </span>
      )}
    </span>
  );
}
