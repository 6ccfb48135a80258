import type { DeliverySummary } from "../../server/contract/delivery.ts";
import { PlainText } from "../json/plain-text.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { ShortId } from "../ui/short-id.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { deliveryOutcomes } from "../ui/statuses.ts";
import { Cell, Row, Table } from "../ui/table.tsx";
import { formatBytes } from "../ui/time.ts";
import { Decision } from "./decision.tsx";

/** A short list of deliveries, as they stand in sheets. */
export function DeliveriesTable({ deliveries }: { deliveries: readonly DeliverySummary[] }) {
  return (
    <Table label="Deliveries" columns={["Delivery", "Answer", "Endpoint", "What was decided", "Body", "When"]}>
      {deliveries.map((delivery) => (
        <Row key={delivery.id}>
          <Cell name="Delivery">
            <ShortId id={delivery.id} href={`/deliveries/${encodeURIComponent(delivery.id)}`} />
          </Cell>
          <Cell name="Answer">
            <OutcomeBadge delivery={delivery} />
          </Cell>
          <Cell name="Endpoint">
            <code className="break-all">
              <PlainText text={delivery.endpoint} />
            </code>
          </Cell>
          <Cell name="Decided">
            <Decision delivery={delivery} />
          </Cell>
          <Cell name="Body">
            <span className="whitespace-nowrap tabular-nums">{formatBytes(delivery.bodyBytes)}</span>
          </Cell>
          <Cell name="When">
            <RelativeTime iso={delivery.receivedAt} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

/** The answer's status, with what became of the delivery. */
export function OutcomeBadge({ delivery: { outcome, responseStatus } }: { delivery: Pick<DeliverySummary, "outcome" | "responseStatus"> }) {
  const face = deliveryOutcomes[outcome];
  return <StatusBadge face={face} label={`${responseStatus} ${face.label}`} />;
}
