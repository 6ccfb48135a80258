import type { Dedupe } from "../../../server/contract/project/endpoint.ts";
import { formatInterval } from "../../../server/domain/format.ts";
import type { Activity, GraphTrigger } from "../../canvas/model/canvas-model.ts";

/** A trigger with all its targets. */
export interface ListedTrigger extends Pick<
  GraphTrigger,
  "slug" | "endpoint" | "conditions" | "hasFilter" | "hasHeaders"
> {
  attachments: Pick<GraphTrigger, "attachmentId" | "target" | "file" | "hasTransform" | "prompt">[];
}

/** Attachments grouped by slug, in evaluation order. */
export function triggersOf(attachments: readonly GraphTrigger[]): ListedTrigger[] {
  return [...Map.groupBy(attachments, ({ slug }) => slug).values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const { slug, endpoint, conditions, hasFilter, hasHeaders } = first;
    return [
      {
        slug,
        endpoint,
        conditions,
        hasFilter,
        hasHeaders,
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

/** How deliveries of the same event are identified, and for how long they are remembered. */
export function describeDedupe({ header, field, windowMs }: Dedupe): string {
  const name =
    header !== null
      ? `by the header ${header}`
      : field !== null
        ? `by ${field} in the body`
        : "by the standard headers or the signed content";
  return `${name}, for ${formatInterval(windowMs)}`;
}

/** Verdict counts of a trigger. Its attachments share request and filter, so they have the same verdicts. */
export function verdictCountsOf(
  activity: Activity | undefined,
  attachmentIds: readonly string[],
): { matched: number; byHeaders: number; byRequest: number; byFilter: number; disabled: number } | null {
  if (!activity) return null;
  const counts = activity.triggers.filter(({ attachmentId }) => attachmentIds.includes(attachmentId));
  const max = (pick: (one: Activity["triggers"][number]) => number) => Math.max(0, ...counts.map(pick));
  return {
    matched: max((one) => one.matched),
    byHeaders: max((one) => one.headers_mismatch),
    byRequest: max((one) => one.request_mismatch),
    byFilter: max((one) => one.filter_mismatch),
    disabled: max((one) => one.disabled),
  };
}

/** Splits a template into text and placeholders for payload values. */
export function promptParts(template: string): { text: string; isPlaceholder: boolean }[] {
  return template
    .split(/((?<!\\)\{\{[^{}]*\}\})/)
    .map((text, index) => ({
      text: index % 2 === 1 ? text : text.replaceAll("\\{{", "{{"),
      isPlaceholder: index % 2 === 1,
    }))
    .filter(({ text }) => text !== "");
}
