import type { DeliverySummary } from "../../server/contract/delivery.ts";
import { RelativeTime } from "../ui/relative-time.tsx";
import { ShortId } from "../ui/short-id.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { deliveryOutcomes } from "../ui/statuses.ts";
import { Cell, Row, Table } from "../ui/table.tsx";
import { formatBytes } from "../ui/time.ts";

export function DeliveriesTable({ deliveries }: { deliveries: DeliverySummary[] }) {
  return (
    <Table label="Deliveries" columns={["Delivery", "Answer", "Endpoint", "What happened", "Body", "When"]}>
      {deliveries.map((delivery) => (
        <Row key={delivery.id}>
          <Cell name="Delivery">
            <ShortId id={delivery.id} href={`/deliveries/${delivery.id}`} />
          </Cell>
          <Cell name="Answer">
            <StatusBadge face={deliveryOutcomes[delivery.outcome]} label={`${delivery.responseStatus} ${deliveryOutcomes[delivery.outcome].label}`} />
          </Cell>
          <Cell name="Endpoint">
            <code>/triggers/{delivery.endpoint}</code>
          </Cell>
          <Cell name="What happened">
            <span className="text-ink-2">{whatHappened(delivery)}</span>
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

/** One line that says why a delivery did, or did not, start something. */
export function whatHappened(delivery: Pick<DeliverySummary, "problem" | "verdicts">): string {
  if (delivery.problem) {
    const first = delivery.problem.errors?.[0];
    return first ? `${delivery.problem.title}: ${first.pointer || "the whole body"}, ${first.message}` : delivery.problem.title;
  }
  const fired = delivery.verdicts.filter((verdict) => verdict.outcome === "matched");
  if (fired.length > 0) return fired.map((verdict) => `${verdict.trigger} → ${verdict.target.slug}`).join(", ");
  const [only] = delivery.verdicts;
  const reason = only?.reasons[0];
  if (delivery.verdicts.length === 1 && reason) return `${only.trigger}: ${reason.pointer || "the whole body"}, ${reason.message}`;
  return delivery.verdicts.length === 0 ? "" : `none of ${delivery.verdicts.length} triggers fired`;
}
