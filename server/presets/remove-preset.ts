import { AppError } from "../contract/app-error.ts";
import type { PresetStore } from "../ports/store.ts";

/** Throws AppError `not_found`. */
export async function removePreset(deps: { store: Pick<PresetStore, "removePreset"> }, id: string): Promise<void> {
  const isKnown = await deps.store.removePreset(id);
  if (!isKnown)
    throw new AppError("not_found", `There is no preset ${JSON.stringify(id)}. It may have been removed or replaced.`);
}
