import type { QueryKey } from "@tanstack/react-query";
import type { Topic } from "../../server/contract/live.ts";

const ofRun = ({ id }: { id?: unknown }): Topic[] => [`run:${String(id)}`];

/** The topics of each query. A query that is not here, such as a timeline, has no live data or a feed of its own. */
export const topics: Record<string, readonly Topic[] | ((input: { id?: unknown }) => Topic[])> = {
  "alerts.countActive": ["alerts"],
  "alerts.list": ["alerts"],
  "audit.list": ["runs", "deliveries", "presets", "switches"],
  "canvas.activity": ["deliveries", "runs"],
  "canvas.graph": ["build"],
  "deliveries.get": ["deliveries"],
  "deliveries.histogram": ["deliveries"],
  "deliveries.list": ["deliveries"],
  "presets.list": ["presets"],
  "project.failedBuild": ["build"],
  "runs.byIds": ["runs"],
  "runs.children": ["runs"],
  "runs.conversation": ofRun,
  "runs.count": ["runs"],
  "runs.get": ofRun,
  "runs.histogram": ["runs"],
  "runs.list": ["runs"],
  "runs.usage": ["runs"],
  "targets.get": ["build"],
  "triggers.disabled": ["switches"],
  "triggers.get": ["build"],
  "triggers.list": ["build"],
  "triggers.names": ["build"],
};

/** The tRPC path of a query, e.g. `runs.get`, and its input. The rows of a live list have the key of their list. */
export function readQueryKey(key: QueryKey): { path: string; input: { id?: unknown } } {
  const [path, options] = Array.isArray(key[0]) ? key : key.slice(1);
  const input: unknown = typeof options === "object" && options !== null ? Reflect.get(options, "input") : null;
  return { path: Array.isArray(path) ? path.join(".") : "", input: typeof input === "object" && input ? input : {} };
}

export function topicsOf(key: QueryKey): readonly Topic[] {
  const { path, input } = readQueryKey(key);
  const found = topics[path] ?? [];
  return typeof found === "function" ? found(input) : found;
}
