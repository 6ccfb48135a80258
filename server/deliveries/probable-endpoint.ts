import type { Delivery } from "../contract/delivery.ts";
import { nearestName } from "../domain/did-you-mean.ts";
import type { ProjectReader } from "../ports/project.ts";

/**
 * The endpoint that a delivery to an unknown one was probably meant for; `null` for any other delivery, or where none
 * is near.
 */
export function probableEndpoint(
  deps: { project: ProjectReader },
  { endpoint, problem }: Pick<Delivery, "endpoint" | "problem">,
): string | null {
  if (problem?.code !== "unknown_endpoint") return null;
  return nearestName(endpoint, [...deps.project.current().byEndpoint.keys()]);
}
