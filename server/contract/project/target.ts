import { z } from "zod";
import { slugSchema } from "./endpoint.ts";

export const targetKindSchema = z.enum(["workflow", "agent"]);

/** What a trigger starts: a workflow or an agent, by its slug. */
export const targetSchema = z.object({ kind: targetKindSchema, slug: slugSchema });

export type TargetKind = z.infer<typeof targetKindSchema>;
export type Target = z.infer<typeof targetSchema>;
