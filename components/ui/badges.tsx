import { Bot, FlaskConical, Hand, LoaderCircle, TriangleAlert, Workflow } from "lucide-react";
import type { ReactNode } from "react";
import type { ManifestAgent } from "../../server/contract/project/manifest.ts";
import type { TargetKind } from "../../server/contract/project/target.ts";
import { type StatusStyle, toneGrounds } from "./statuses.ts";

/** A status as a pill with icon, label and tone. */
export function StatusBadge({ status, label }: { status: StatusStyle; label?: ReactNode }) {
  const Icon = status.icon;
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-full py-px pr-2 pl-1.5 text-xs font-[550] whitespace-nowrap ${toneGrounds[status.tone]}`}
    >
      <Icon aria-hidden size={12} strokeWidth={2.4} className={Icon === LoaderCircle ? "animate-spin" : ""} />
      {label ?? status.label}
    </span>
  );
}

/** Marks a tool whose calls need approval by a person. */
export function ApprovalMark({ needs }: { needs: ManifestAgent["tools"][number]["needsApproval"] }) {
  if (needs === "never") return null;
  const label = needs === "always" ? "needs approval" : "may need approval";
  return (
    <span
      title={
        needs === "always"
          ? "A person must approve each call"
          : "A person must approve some calls, depending on their arguments"
      }
      className="ml-auto inline-flex shrink-0 items-center gap-1 text-xs text-wait"
    >
      <Hand aria-hidden size={11} strokeWidth={2.4} />
      {label}
    </span>
  );
}

/** Marks an agent whose answers are scripted, without a model. `isAnswered`: a model answered nevertheless. */
export function ScriptedModelBadge({ isAnswered = false }: { isAnswered?: boolean | undefined }) {
  if (!isAnswered) return <StatusBadge status={{ label: "Scripted, no model", icon: FlaskConical, tone: "wait" }} />;
  return (
    <span className="flex shrink-0" title={modelBeyondBuild}>
      <StatusBadge status={{ label: "A model answers", icon: TriangleAlert, tone: "wait" }} />
    </span>
  );
}

/** Why a model answers in place of the script. */
export const modelBeyondBuild =
  "The service has an API key of a model's provider, which the build did not have. Calls cost money.";

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
