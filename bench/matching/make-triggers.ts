import { z } from "zod";
import { exportSchema } from "../../cli/build/schema/export.ts";
import { shareSchemas } from "../../server/matching/schemas/share-schemas.ts";
import { buildTriggerIndex } from "../../server/matching/index/trigger-index.ts";
import type { AnySchema, TriggerIndex, TriggerSource } from "../../server/ports/project.ts";

/**
 * Forms of triggers: one request schema for all and a filter each; the same with a request schema each. Or no filter,
 * and the fixed value in `request`, or in `headers`.
 */
export const shapes = [
  "filters, one request",
  "filters, own requests",
  "fixed in request",
  "headers, one request",
] as const;
export type TriggerShape = (typeof shapes)[number];

const fields = {
  repository: z.object({ full_name: z.string() }),
  sender: z.object({ login: z.string(), id: z.number() }),
};
const shared = z.object({ action: z.string(), ...fields });

/** Only the last trigger matches the action `opened`. */
export function makeTriggers(shape: TriggerShape, size: number): { triggers: TriggerSource[]; index: TriggerIndex } {
  const written = Array.from({ length: size }, (_, at) => schemasOf(shape, actionAt(size, at)));
  const triggers = written.map(({ request, filter, headers }, at): TriggerSource => {
    const slug = `trigger-${String(at).padStart(5, "0")}`;
    return {
      slug,
      endpoint: "bench",
      attachmentId: `${slug}:work`,
      target: { kind: "workflow", slug: "work" },
      request: known(request),
      filter: filter && known(filter),
      headers: headers && { schema: known(headers), lists: [] },
    };
  });
  return {
    triggers: shareSchemas(triggers),
    index: buildTriggerIndex(
      written.map(({ request, filter, headers }) => ({
        request: exportSchema(request),
        filter: filter && exportSchema(filter),
        headers: headers && exportSchema(headers),
      })),
    ),
  };
}

interface Schemas {
  request: z.ZodType;
  filter: z.ZodType | null;
  headers: z.ZodType | null;
}

function schemasOf(shape: TriggerShape, action: string): Schemas {
  if (shape === "fixed in request") return { request: ownRequest(z.literal(action)), filter: null, headers: null };
  if (shape === "headers, one request")
    return { request: shared, filter: null, headers: z.object({ "x-event": z.literal(action) }) };
  return {
    request: shape === "filters, one request" ? shared : ownRequest(z.string()),
    filter: z.object({ action: z.literal(action) }),
    headers: null,
  };
}

function ownRequest(action: z.ZodType): z.ZodType {
  return z.object({
    action,
    repository: z.object({ full_name: z.string() }),
    sender: z.object({ login: z.string(), id: z.number() }),
  });
}

function known(schema: z.ZodType): AnySchema {
  return schema as unknown as AnySchema;
}

/** The action that the trigger at an index matches; the last of `size` matches `opened`. */
export function actionAt(size: number, at: number): string {
  return at % size === size - 1 ? "opened" : `action_${at % size}`;
}
