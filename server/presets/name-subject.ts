import { AppError } from "../contract/app-error.ts";
import type { PresetSubject } from "../contract/preset.ts";
import { didYouMean } from "../domain/did-you-mean.ts";
import type { ProjectSources } from "../ports/project.ts";

/** `trigger invoice-paid`, if the project has it. Throws AppError `not_found`. */
export function nameSubject({ manifest }: Pick<ProjectSources, "manifest">, { kind, slug }: PresetSubject): string {
  const known = { trigger: manifest.triggers, workflow: manifest.workflows, agent: manifest.agents }[kind];
  const slugs = known.map((one) => one.slug);
  if (slugs.includes(slug)) return `${kind} ${slug}`;
  throw new AppError(
    "not_found",
    `There is no ${kind} ${JSON.stringify(slug)} in this project.${didYouMean(slug, slugs)}`,
  );
}
