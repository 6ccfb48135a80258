import type { GraphTrigger } from "./answers.ts";

/** A trigger with all its targets. */
export interface ListedTrigger extends Pick<GraphTrigger, "slug" | "endpoint" | "conditions" | "hasFilter"> {
  attachments: Pick<GraphTrigger, "attachmentId" | "target" | "file" | "hasTransform" | "prompt">[];
}

/** Attachments grouped by slug, in evaluation order. */
export function triggersOf(attachments: readonly GraphTrigger[]): ListedTrigger[] {
  return [...Map.groupBy(attachments, ({ slug }) => slug).values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const { slug, endpoint, conditions, hasFilter } = first;
    return [
      {
        slug,
        endpoint,
        conditions,
        hasFilter,
        attachments: same.map(({ attachmentId, target, file, hasTransform, prompt }) => ({
          attachmentId,
          target,
          file,
          hasTransform,
          prompt,
        })),
      },
    ];
  });
}
