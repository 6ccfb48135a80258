import { JsonView } from "../json/json-view.tsx";
import { Panel } from "../ui/panel.tsx";
import { answerOf } from "./answer-of.ts";
import type { FullDelivery } from "./full-delivery.ts";
import { HeaderList } from "./headers-panel.tsx";

/** The response that the sender received. */
export function AnswerPanel({ delivery }: { delivery: FullDelivery }) {
  // A redelivery has no sender.
  if (delivery.redeliveryOf !== null) return null;
  const answer = answerOf(delivery);
  return (
    <Panel title="Response" note={`${answer.status}, reconstructed from the stored delivery`}>
      <HeaderList headers={answer.headers} />
      <div className="border-t">
        <JsonView text={answer.body} label="Response body" copyLabel="Copy the response" maxHeight={240} />
      </div>
    </Panel>
  );
}
