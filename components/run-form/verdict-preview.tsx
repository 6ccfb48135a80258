"use client";

import type { Verdict } from "../../server/contract/delivery.ts";
import { visibleText } from "../../server/shared/schema/visible-text.ts";
import { formatReason, verdictStages } from "../../server/shared/deliveries/describe-reason.ts";
import { ErrorNote } from "../ui/states.tsx";
import { StatusBadge } from "../ui/badges.tsx";
import { verdictStyle } from "../ui/statuses.ts";
import type { GivenFields } from "./draft/field-texts.ts";
import { type RunSubject, triggerOf } from "./run-subject.ts";
import { useVerdicts } from "./use-verdicts.ts";

/**
 * A live preview: which triggers the draft would fire, or why not. If the form starts one target: whether the trigger
 * matches for it.
 */
export function VerdictPreview({
  subject,
  text,
  fields,
}: {
  subject: Exclude<RunSubject, { kind: "replay" }>;
  text: string | null;
  /** `null`: headers and query are not evaluated. */
  fields: GivenFields | null;
}) {
  const trigger = triggerOf(subject);
  const only = subject.kind === "target" ? subject.target.slug : null;
  const of = subject.kind === "trigger" ? { endpoint: subject.endpoint } : { trigger: trigger ?? "" };
  const { error, ...preview } = useVerdicts({ of, text, fields });
  const verdicts = preview.verdicts?.filter(({ target }) => only === null || target?.slug === only) ?? null;
  return (
    <section aria-label="Preview" className="grid gap-1.5 rounded-m border bg-sunken px-3 py-2.5">
      <h3 className="text-s font-semibold">Preview</h3>
      {text === null ? (
        <p className="text-s text-ink-3">No verdicts: the draft is not valid JSON.</p>
      ) : error ? (
        <ErrorNote error={error} title="The triggers could not be evaluated" />
      ) : verdicts === null ? (
        <p className="text-s text-ink-3">Evaluating the triggers…</p>
      ) : (
        <Verdicts
          verdicts={[...verdicts].sort((a, b) => Number(b.trigger === trigger) - Number(a.trigger === trigger))}
        />
      )}
    </section>
  );
}

function Verdicts({ verdicts }: { verdicts: readonly Verdict[] }) {
  return (
    <ul className="grid gap-1.5" aria-live="polite">
      {verdicts.map((verdict) => (
        <li key={verdict.attachmentId} className="min-w-0 text-s break-words text-ink-2">
          <span className="mr-2 inline-flex align-middle">
            <StatusBadge status={verdictStyle(verdict.outcome, verdicts)} label={verdict.trigger} />
          </span>
          {formatVerdict(verdict)}
        </li>
      ))}
    </ul>
  );
}

/**
 * `fires post-to-ledger`, `matches, starts no run`, or where it stops: `filter: /data/amount: expected ≥ 10000, was
 * -5`.
 */
export function formatVerdict({ outcome, reasons, target }: Verdict): string {
  if (outcome === "matched") return target ? `fires ${target.slug}` : "matches, starts no run";
  const [first, ...others] = reasons;
  const stage = verdictStages[outcome];
  if (!first) return stage;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return visibleText(`${outcome === "disabled" ? "" : `${stage}: `}${formatReason(first)}${more}`, 400);
}
