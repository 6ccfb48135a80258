import { Hand } from "lucide-react";
import type { ManifestAgent } from "../../server/contract/manifest.ts";

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
