"use client";

import { parseAsString, useQueryStates } from "nuqs";
import type { Target } from "../../server/contract/target.ts";
import { RunForm } from "../run-form/run-form.tsx";
import { Choice } from "../ui/choice.tsx";
import { Segmented } from "../ui/segmented.tsx";
import type { TargetDetails } from "./answers.ts";

const ways = [
  { value: "prompt" as const, label: "Prompt" },
  { value: "payload" as const, label: "Payload through a trigger" },
];

/** Runs an agent with a typed prompt, or with a payload through one of its triggers. The choice is in the URL. */
export function AgentRun({ target, attachments }: { target: Target; attachments: TargetDetails["attachments"] }) {
  const [{ via: named }, setState] = useQueryStates({ via: parseAsString, from: parseAsString });
  // `from` belongs to the form that was open before.
  const choose = (via: string | null) => void setState({ via, from: null });
  const triggers = [...new Map(attachments.map((one) => [one.trigger, one])).values()];
  const via = triggers.find(({ trigger }) => trigger === named) ?? null;
  const [first] = triggers;
  if (!first) return <RunForm subject={{ kind: "target", target }} />;
  return (
    <>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b px-4 py-2">
        <Segmented
          label="Start with"
          value={via ? "payload" : "prompt"}
          options={ways}
          onChange={(way) => choose(way === "payload" ? first.trigger : null)}
        />
        {via && triggers.length > 1 && (
          <Choice
            label="Trigger"
            value={via.trigger}
            options={triggers.map(({ trigger }) => ({ value: trigger, label: trigger }))}
            onChange={choose}
          />
        )}
        {via && triggers.length === 1 && <code className="min-w-0 truncate text-s">{via.trigger}</code>}
      </div>
      {via ? (
        <RunForm key={via.trigger} subject={{ kind: "target", target, via }} />
      ) : (
        <RunForm subject={{ kind: "target", target }} />
      )}
    </>
  );
}
