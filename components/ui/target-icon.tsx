import { Bot, Workflow } from "lucide-react";
import type { TargetKind } from "../../server/contract/target.ts";

/** The icon of a workflow, or of an agent in a round tile. Without `label` it is decorative. */
export function TargetIcon({ kind, label }: { kind: TargetKind; label?: string }) {
  const accessibility = label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label };
  if (kind === "workflow") return <Workflow {...accessibility} size={13} className="shrink-0 text-ink-3" />;
  return (
    <span
      {...accessibility}
      className="grid size-5 shrink-0 place-items-center rounded-full bg-accent-soft text-accent"
    >
      <Bot aria-hidden size={13} />
    </span>
  );
}
