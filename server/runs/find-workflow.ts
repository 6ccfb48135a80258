import { AppError } from "../contract/app-error.ts";
import type { Manifest, ManifestWorkflow } from "../contract/manifest.ts";
import type { Target } from "../contract/target.ts";
import { didYouMean } from "../domain/did-you-mean.ts";

/** A target of the project that runs now. Throws AppError `not_found`. */
export function findWorkflow(manifest: Pick<Manifest, "workflows">, { kind, slug }: Target): ManifestWorkflow {
  const workflow = kind === "workflow" ? manifest.workflows.find((other) => other.slug === slug) : undefined;
  if (workflow) return workflow;
  const hint = didYouMean(slug, kind === "workflow" ? manifest.workflows.map((other) => other.slug) : []);
  throw new AppError("not_found", `There is no ${kind} ${JSON.stringify(slug)} in this project.${hint}`);
}
