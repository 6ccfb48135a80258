import { AppError } from "../contract/app-error.ts";
import type { Run } from "../contract/run.ts";
import type { RunStore } from "../ports/store/run-store.ts";

/** Returns one run. Throws AppError `not_found`. With `keyId`, only runs that this key started exist. */
export async function findRun(
  deps: { store: Pick<RunStore, "getRun"> },
  p: { id: string; keyId?: string | undefined },
): Promise<Run> {
  const stored = await deps.store.getRun(p.id);
  if (!stored || (p.keyId !== undefined && stored.keyId !== p.keyId))
    throw new AppError("not_found", `There is no run ${JSON.stringify(p.id)}.`);
  const { keyId: _, ...run } = stored;
  return run;
}
