import { type Column, eq, type SQL } from "drizzle-orm";
import type { RunFilter } from "../../ports/store.ts";
import type { Term } from "./read-list.ts";

type AskedColumn = "deliveryId" | "replayOf" | "keyId" | "status" | "trigger" | "targetSlug" | "version" | "targetKind";

/** What a filter asks of a run. `hasText`: of what it was started with. */
export function runTerms(run: Readonly<Record<AskedColumn, Column>>, filter: RunFilter, hasText: (text: string) => SQL): Term[] {
  const { delivery, replayOf, keyId, trigger, target, targetKind, status, version, text } = filter;
  const terms: (Term | undefined)[] = [
    delivery === undefined ? undefined : { condition: eq(run.deliveryId, delivery), index: "run_by_delivery" },
    replayOf === undefined ? undefined : { condition: eq(run.replayOf, replayOf), index: "run_by_replay" },
    keyId === undefined ? undefined : { condition: eq(run.keyId, keyId), index: "run_by_key" },
    status === undefined ? undefined : { condition: eq(run.status, status), index: "run_by_status" },
    trigger === undefined ? undefined : { condition: eq(run.trigger, trigger), index: "run_by_trigger" },
    target === undefined ? undefined : { condition: eq(run.targetSlug, target), index: "run_by_target" },
    version === undefined ? undefined : { condition: eq(run.version, version) },
    targetKind === undefined ? undefined : { condition: eq(run.targetKind, targetKind) },
    text === undefined ? undefined : { condition: hasText(text), isSlow: true },
  ];
  return terms.filter((term) => term !== undefined);
}
