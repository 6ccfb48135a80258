"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { DeliveryRow } from "../../../server/contract/delivery.ts";
import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import type { Condition } from "../../../server/shared/schema/conditions.ts";
import { visibleText } from "../../../server/shared/schema/visible-text.ts";
import { formatReason } from "../../../server/shared/deliveries/describe-reason.ts";
import { SchemaTree } from "../../schema/schema-tree.tsx";
import { SchemaView } from "../../schema/schema-view.tsx";
import { exampleFields } from "../../run-form/draft/field-texts.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { StatusBadge } from "../../ui/badges.tsx";
import { CodeBlock } from "../../ui/controls/copy-button.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { deliveryOutcomes, verdictStyle } from "../../ui/statuses.ts";
import { RelativeTime } from "../../ui/time.tsx";
import type { Prompt } from "../../graph/canvas-model.ts";
import { promptParts } from "../trigger/trigger-facts.ts";
import { SheetSection } from "./sheet-frame.tsx";
import { curlOf, keyPlaceholder } from "../endpoint/snippets.ts";

/** The conditions, one per line. The line `and 3 more` has no path. */
export function ConditionList({ conditions }: { conditions: readonly Condition[] }) {
  if (conditions.length === 0) return <p className="text-ink-2">any body that matches the request schema</p>;
  return (
    <ul className="grid gap-0.5">
      {conditions.map(({ path, words }, index) => (
        <li key={index} className="break-words text-ink-2">
          {path !== "" && <code className="text-ink">{path}</code>} {words}
        </li>
      ))}
    </ul>
  );
}

/** The prompt that a trigger sends to an agent: the template with its placeholders marked. */
export function PromptTemplate({ prompt }: { prompt: Prompt }) {
  if (prompt.kind === "function") return <span className="text-s text-ink-2">prompt: built by a function</span>;
  return (
    <p className="max-h-40 overflow-auto text-s break-words whitespace-pre-wrap text-ink-2">
      <span className="text-ink-3">prompt: </span>
      {promptParts(prompt.text).map(({ text, isPlaceholder }, index) =>
        isPlaceholder ? (
          <code key={index} className="rounded-s bg-accent-soft px-0.5 whitespace-nowrap text-accent">
            {text}
          </code>
        ) : (
          text
        ),
      )}
    </p>
  );
}

interface NamedSchema {
  title: string;
  schema: JsonSchemaObject | null;
  /** Text shown without a schema. */
  absent: string;
  example?: Json;
}

/** The schemas of a node, one below the other. */
export function SchemaSections({ schemas }: { schemas: readonly NamedSchema[] }) {
  return schemas.map(({ title, schema, absent, example }) =>
    schema ? (
      <SchemaView key={title} title={title} schema={schema} example={example} />
    ) : (
      <section key={title} aria-label={title}>
        <h3 className="mb-1 text-s font-semibold">{title}</h3>
        <p className="text-ink-2">{absent}</p>
      </section>
    ),
  );
}

/** `undefined`: not loaded yet; `null`: the trigger has none. */
export function SchemaPart({
  title,
  note,
  schema,
}: {
  title: string;
  note?: string;
  schema: JsonSchemaObject | null | undefined;
}) {
  if (schema === null) return null;
  return (
    <SheetSection title={title} note={note}>
      {schema ? (
        <div className="rounded-m border px-3 py-2">
          <SchemaTree schema={schema} label={`${title}, as a tree`} />
        </div>
      ) : (
        <Skeleton className="h-24 rounded-m border" />
      )}
    </SheetSection>
  );
}

/** A compact list of deliveries: outcome, summary, time. With `trigger`: its verdict and the first reason. */
export function DeliveryRows({
  deliveries,
  trigger,
  label,
}: {
  deliveries: readonly DeliveryRow[];
  trigger?: string;
  label: string;
}) {
  return (
    <ul aria-label={label} className="divide-y overflow-hidden rounded-m border">
      {deliveries.map((delivery) => {
        const row = trigger === undefined ? ofDelivery(delivery) : ofTrigger(delivery, trigger);
        return (
          <li key={delivery.id} className="border-line">
            <Link
              href={`/deliveries/${encodeURIComponent(delivery.id)}`}
              prefetch={false}
              title={delivery.id}
              className="grid min-h-9 grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-2.5 px-2.5 py-1.5 -outline-offset-2 hover:bg-sunken"
            >
              <StatusBadge status={row.status} label={row.label} />
              <span className="truncate text-s text-ink-2">{visibleText(row.summary, 200)}</span>
              <span className="text-s text-ink-3">
                <RelativeTime iso={delivery.receivedAt} />
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function ofDelivery(delivery: DeliveryRow) {
  const status = deliveryOutcomes[delivery.outcome];
  return { status, label: `${delivery.responseStatus} ${status.label}`, summary: delivery.decision };
}

function ofTrigger(delivery: DeliveryRow, trigger: string) {
  const verdict = delivery.verdicts.find((one) => one.trigger === trigger);
  if (!verdict) return ofDelivery(delivery);
  const [reason] = verdict.reasons;
  const started = verdict.runId && verdict.target ? `started ${verdict.target.slug}` : "";
  const summary = reason ? formatReason(reason) : started;
  const status = verdictStyle(verdict.outcome, delivery.verdicts);
  return { status, label: status.label, summary };
}

/** A curl command with a generated body that matches, shown while there are no deliveries. */
export function FirstCurl({ slug, url, needsKey }: { slug: string; url: string; needsKey: boolean }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.triggers.get.queryOptions({ slug }));
  if (!data) return <Skeleton className="mt-2 h-24 rounded-m" />;
  return (
    <div className="mt-2 rounded-m border bg-sunken">
      <CodeBlock
        text={curlOf({
          url,
          key: needsKey ? keyPlaceholder : null,
          ...exampleFields(data),
          formats: data.body,
          methods: data.methods,
          example: data.example,
        })}
        label={`Example request to ${slug}`}
        copyLabel="Copy the command"
      />
    </div>
  );
}
