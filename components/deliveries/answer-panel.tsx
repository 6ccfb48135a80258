import { JsonView } from "../json/json-view.tsx";
import { Panel } from "../ui/panel.tsx";
import { answerOf } from "./answer-of.ts";
import type { FullDelivery } from "./full-delivery.ts";
import { HeaderList } from "./headers-panel.tsx";

/** What the sender was told. */
export function AnswerPanel({ delivery }: { delivery: FullDelivery }) {
  // A delivery that was made by hand had no sender.
  if (delivery.redeliveryOf !== null) return null;
  const answer = answerOf(delivery);
  return (
    <Panel title="Answer" note={`${answer.status}, rebuilt from what is kept`}>
      <HeaderList headers={answer.headers} />
      <div className="border-t">
        <JsonView text={answer.body} label="Answer, its body" copyLabel="Copy the answer" maxHeight={240} />
      </div>
    </Panel>
  );
}
