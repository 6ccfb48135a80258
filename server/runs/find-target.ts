import { AppError } from "../contract/app-error.ts";
import type { Manifest, ManifestWorkflow } from "../contract/project/manifest.ts";
import type { Target } from "../contract/project/target.ts";
import { didYouMean } from "../domain/did-you-mean.ts";

/** A target of the active project: the common part of workflows and agents. Throws AppError `not_found`. */
export function findTarget(manifest: Pick<Manifest, "workflows" | "agents">, { kind, slug }: Target): ManifestWorkflow {
  const known: readonly ManifestWorkflow[] = kind === "workflow" ? manifest.workflows : manifest.agents;
  const target = known.find((other) => other.slug === slug);
  if (target) return target;
  throw new AppError(
    "not_found",
    `There is no ${kind} ${JSON.stringify(slug)} in this project.${didYouMean(
      slug,
      known.map((other) => other.slug),
    )}`,
  );
}
