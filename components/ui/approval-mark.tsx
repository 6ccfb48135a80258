import { Hand } from "lucide-react";
import type { ManifestAgent } from "../../server/contract/manifest.ts";

/** That a person decides on calls of a tool before they are made. */
export function ApprovalMark({ needs }: { needs: ManifestAgent["tools"][number]["needsApproval"] }) {
  if (needs === "never") return null;
  const says = needs === "always" ? "needs approval" : "may need approval";
  return (
    <span
      title={
        needs === "always"
          ? "A person approves each call before it is made"
          : "A person approves some calls, by their arguments, before they are made"
      }
      className="ml-auto inline-flex shrink-0 items-center gap-1 text-xs text-wait"
    >
      <Hand aria-hidden size={11} strokeWidth={2.4} />
      {says}
    </span>
  );
}
