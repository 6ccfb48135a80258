import type { Delivery } from "../contract/delivery.ts";
import { nearestName } from "../domain/did-you-mean.ts";
import type { ProjectReader } from "../ports/project.ts";

/**
 * The most similar endpoint for a delivery to an unknown endpoint; `null` for any other delivery, or if no endpoint is
 * similar.
 */
export function probableEndpoint(
  deps: { project: ProjectReader },
  { endpoint, problem }: Pick<Delivery, "endpoint" | "problem">,
): string | null {
  if (problem?.code !== "unknown_endpoint") return null;
  return nearestName(endpoint, [...deps.project.current().byEndpoint.keys()]);
}
