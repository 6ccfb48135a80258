import type { Json } from "../contract/json.ts";
import type { Target } from "../contract/project/target.ts";
import type { RunStore } from "../ports/store/run-store.ts";

export interface RecentInput {
  runId: string;
  createdAt: string;
  input: Json;
}

const most = 10;
/** Number of runs to read: many can have the same input. */
const looked = 50;
/** Total size of all inputs: more would delay the list of suggestions. */
const maxBytes = 1024 * 1024;

/** The distinct inputs of a target's newest runs. */
export async function recentInputs(
  deps: { store: Pick<RunStore, "listRuns" | "getRun"> },
  target: Target,
): Promise<RecentInput[]> {
  const { data } = await deps.store.listRuns(
    { target: target.slug, targetKind: target.kind },
    { limit: looked, cursor: null },
  );
  const found = new Map<string, RecentInput>();
  let bytes = 0;
  for (const { id, createdAt } of data) {
    const input = (await deps.store.getRun(id))?.input ?? null;
    if (input === null) continue;
    const text = JSON.stringify(input);
    if (found.has(text) || bytes + text.length > maxBytes) continue;
    bytes += text.length;
    found.set(text, { runId: id, createdAt, input });
    if (found.size === most) break;
  }
  return [...found.values()];
}
