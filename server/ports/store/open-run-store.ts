import type { Json } from "../../contract/json.ts";
import type { Target } from "../../contract/project/target.ts";
import type { StepRecord } from "./engine-store.ts";

/** A run that has not ended. */
export interface OpenRun {
  id: string;
  /** The version that accepted it. */
  version: string;
  target: Target;
  attachmentId: string | null;
}

/** The recorded data of an open run that another build would have to fit. */
export interface OpenRunRecord {
  id: string;
  /** `null`: not created yet. */
  input: Json | null;
  steps: Pick<StepRecord, "name" | "kind">[];
}

/** Open runs, for changes of the build. Reads all of them: not for the path of a webhook. */
export interface OpenRunStore {
  /** The number of open runs by the version that accepted them. */
  countOpenRunsByVersion(): Promise<ReadonlyMap<string, number>>;
  /** Oldest first. */
  listOpenRuns(p: { limit: number }): Promise<OpenRun[]>;
  /** In any order. Runs that have ended are omitted. */
  readOpenRuns(ids: readonly string[]): Promise<OpenRunRecord[]>;
}
