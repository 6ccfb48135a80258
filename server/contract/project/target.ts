import { z } from "zod";
import { slugSchema } from "./endpoint.ts";

export const targetKindSchema = z.enum(["workflow", "agent"]);

/** What a trigger starts: a workflow or an agent, by its slug. */
export const targetSchema = z.object({
  kind: targetKindSchema.describe("Whether it is a workflow or an agent."),
  slug: slugSchema.describe("Slug, e.g. `welcome-email`."),
});

export type TargetKind = z.infer<typeof targetKindSchema>;
export type Target = z.infer<typeof targetSchema>;

/** Whether a trigger, or a verdict of one, has a target. Without one it starts nothing, and only wakes runs. */
export function hasTarget<Of extends { target: Target | null }>(of: Of): of is Of & { target: Target } {
  return of.target !== null;
}

/** A target of a build; `undefined`: the build does not have it. */
export function findBuilt<Built extends { slug: string }>(
  { workflows, agents }: { workflows: readonly Built[]; agents: readonly Built[] },
  { kind, slug }: Target,
): Built | undefined {
  return (kind === "agent" ? agents : workflows).find((built) => built.slug === slug);
}

/** A project has few targets; rows can have the names of targets that no longer exist. */
const maxNames = 10_000;
const names = { workflow: new Map<string, string>(), agent: new Map<string, string>() };

/**
 * The name of a target in rows, queues and lists, e.g. `workflow:welcome-email`. Each name is made once, because every
 * webhook looks several of them up: a new string would be hashed again each time.
 */
export function targetName({ kind, slug }: Target): string {
  const known = names[kind].get(slug);
  if (known !== undefined) return known;
  if (names[kind].size >= maxNames) names[kind].clear();
  const name = `${kind}:${slug}`;
  names[kind].set(slug, name);
  return name;
}
