import type { TargetKind } from "../../contract/project/target.ts";

/** Runs of agents have a token count from their creation on. Other runs have none. */
export const tokensAtStart = (kind: TargetKind): number | null => (kind === "agent" ? 0 : null);
