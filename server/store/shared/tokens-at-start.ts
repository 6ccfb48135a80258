import type { TargetKind } from "../../contract/project/target.ts";

/** Runs of agents are counted with what they used from their first moment on; all others have nothing to count. */
export const tokensAtStart = (kind: TargetKind): number | null => (kind === "agent" ? 0 : null);
