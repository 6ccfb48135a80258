"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useMemo, useRef, useState } from "react";
import type { Reason, Verdict } from "../../../server/contract/delivery.ts";
import type { FieldPart } from "../../../server/contract/request-parts.ts";
import { cleanQuery } from "../../../server/shared/deliveries/query-text.ts";
import { formatRelativeTime } from "../../../server/shared/format.ts";
import { visibleText } from "../../../server/shared/schema/visible-text.ts";
import { evaluatedText } from "../../json/read-body.ts";
import { reasonParts } from "../../../server/shared/deliveries/describe-reason.ts";
import { describeFault, offsetOf, parseDraft, placeInMessage } from "../../run-form/draft/draft-text.ts";
import {
  exampleFields,
  type GivenFields,
  parseHeaderLines,
  printHeaderLines,
  receivedFields,
} from "../../run-form/draft/field-texts.ts";
import { partTitles } from "../../run-form/form/request-fields.tsx";
import { useVerdicts } from "../../run-form/use-verdicts.ts";
import { problemOf } from "../../ui/problem-of.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { StatusBadge } from "../../ui/badges.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { deliveryOutcomes, verdictStyle } from "../../ui/statuses.ts";
import { useNow } from "../../ui/time.tsx";

/** Longer texts are parsed only by the server, so that typing stays responsive. */
const maxLocalLength = 200_000;

type VerdictsState =
  | { kind: "none" }
  | { kind: "verdicts"; verdicts: readonly Verdict[] }
  | { kind: "not-json"; detail: string }
  | { kind: "failed"; error: unknown };

const none: VerdictsState = { kind: "none" };

interface Props {
  endpoint: string;
  /** Its triggers, without duplicates, in evaluation order. */
  triggers: readonly string[];
  /** The parts of the request beside its body on which a trigger has conditions. */
  parts: readonly FieldPart[];
  version: string;
}

/**
 * A text area for a body, and fields for headers and a query if a trigger needs them, with the verdict of each trigger
 * as you type. Nothing is sent or stored.
 */
export function TryBody({ endpoint, triggers, parts, version }: Props) {
  const [text, setText] = useState("");
  const [texts, setTexts] = useState({ headers: "", query: "" });
  const fields = useMemo(() => ({ headers: parseHeaderLines(texts.headers), query: cleanQuery(texts.query) }), [texts]);
  const setRequest: OnRequest = (body, { headers, query }) => {
    setText(body);
    setTexts({ headers: printHeaderLines(headers), query });
  };
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const { result, isPending, retry } = useResult({ endpoint, text, fields, version });
  const place = result.kind === "not-json" ? placeInMessage(result.detail) : null;
  const goToError = () => {
    field.current?.focus();
    if (!place) return;
    const offset = offsetOf(text, place);
    field.current?.setSelectionRange(offset, offset + 1);
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <label htmlFor={id} className="mr-auto text-s font-semibold">
          JSON body
        </label>
        <ExampleMenu triggers={triggers} onRequest={setRequest} />
        <RecentMenu endpoint={endpoint} onRequest={setRequest} />
      </div>
      <textarea
        ref={field}
        id={id}
        value={text}
        onChange={(event) => setText(event.target.value)}
        rows={12}
        spellCheck={false}
        autoComplete="off"
        placeholder="Paste JSON here"
        aria-invalid={result.kind === "not-json" || undefined}
        aria-describedby={`${id}-result`}
        className="min-h-40 w-full resize-y rounded-m border border-line-strong bg-raised px-3 py-2.5 font-mono text-s/[1.6] [tab-size:2] placeholder:text-ink-3 aria-invalid:border-bad"
      />
      {parts.map((part) => {
        const Field = part === "headers" ? "textarea" : "input";
        return (
          <div key={part} className="grid gap-1">
            <label htmlFor={`${id}-${part}`} className="text-s font-semibold">
              {partTitles[part]}
            </label>
            <Field
              id={`${id}-${part}`}
              value={texts[part]}
              onChange={(event) => setTexts({ ...texts, [part]: event.target.value })}
              {...(part === "headers" && { rows: 3 })}
              spellCheck={false}
              autoComplete="off"
              placeholder={partHints[part]}
              className="w-full resize-y rounded-m border border-line-strong bg-raised px-3 py-2.5 font-mono text-s/[1.6] placeholder:text-ink-3"
            />
          </div>
        );
      })}
      <div id={`${id}-result`} role="status" aria-busy={isPending} className="min-h-24">
        <Result result={result} count={triggers.length} goToError={place && goToError} retry={retry} />
      </div>
    </div>
  );
}

function Result({
  result,
  count,
  goToError,
  retry,
}: {
  result: VerdictsState;
  count: number;
  goToError: (() => void) | null;
  retry: () => void;
}) {
  if (result.kind === "verdicts") return <VerdictList verdicts={result.verdicts} />;
  if (result.kind === "failed")
    return <ErrorNote error={result.error} title="The triggers could not be evaluated" retry={retry} />;
  if (result.kind === "none")
    return (
      <p className="text-s text-ink-3">
        {count === 1 ? "The trigger is" : `The ${count} triggers are`} evaluated as you type. Nothing is sent or
        started.
      </p>
    );
  return (
    <div className="flex items-start justify-between gap-3 rounded-m bg-bad-soft px-3 py-2.5">
      <div className="min-w-0">
        <p className="font-semibold text-bad">Invalid JSON</p>
        <p className="break-words">{result.detail}</p>
      </div>
      {goToError && (
        <Button size="s" onClick={goToError}>
          Go to error
        </Button>
      )}
    </div>
  );
}

const partHints: Record<FieldPart, string> = {
  headers: "name: value, one on each line",
  query: "topic=refunds&shop=berlin",
};

type OnRequest = (body: string, fields: GivenFields) => void;

/** A generated request for one of the triggers. */
function ExampleMenu({ triggers, onRequest }: { triggers: readonly string[]; onRequest: OnRequest }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const take = async (slug: string) => {
    const details = await queries.fetchQuery(trpc.triggers.get.queryOptions({ slug }));
    onRequest(JSON.stringify(details.example, null, 2), exampleFields(details));
  };
  return (
    <Menu
      label="Start from an example"
      size="s"
      items={triggers.map((slug) => ({
        id: slug,
        label: slug,
        note: "generated from its schema",
        onSelect: () => void take(slug),
      }))}
    >
      Example
    </Menu>
  );
}

/** The body, the headers and the query of a received delivery. */
function RecentMenu({ endpoint, onRequest }: { endpoint: string; onRequest: OnRequest }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const now = useNow();
  const recent = useQuery(trpc.deliveries.list.queryOptions({ endpoint, limit: 8 }));
  const take = async (id: string) => {
    const delivery = await queries.fetchQuery(trpc.deliveries.get.queryOptions({ id }));
    onRequest(evaluatedText(delivery) ?? "", receivedFields(delivery.headers));
  };
  const deliveries = (recent.data?.data ?? []).filter(({ bodyBytes }) => bodyBytes > 0);
  if (deliveries.length === 0) return null;
  return (
    <Menu
      label="Start from a recent delivery"
      size="s"
      items={deliveries.map(({ id, receivedAt, responseStatus, outcome }) => ({
        id,
        label: `${responseStatus} ${deliveryOutcomes[outcome].label}`,
        note: formatRelativeTime(receivedAt, now),
        onSelect: () => void take(id),
      }))}
    >
      Delivery
    </Menu>
  );
}

/** The verdict of each trigger in compact form: JSON Pointer, expected value, received value. */
function VerdictList({ verdicts }: { verdicts: readonly Verdict[] }) {
  return (
    <ul aria-label="Trigger verdicts" className="divide-y rounded-m border">
      {verdicts.map((verdict) => (
        <li key={verdict.attachmentId} className="border-line px-3 py-2">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <code className="font-medium">{verdict.trigger}</code>
            <span className="text-s text-ink-3">{verdict.target ? `→ ${verdict.target.slug}` : "starts no run"}</span>
            <span className="ml-auto">
              <StatusBadge
                status={verdictStyle(verdict.outcome, verdicts)}
                label={verdict.outcome === "matched" && verdict.target ? "would fire" : undefined}
              />
            </span>
          </div>
          {verdict.reasons.length > 0 && (
            <ul className="mt-1 grid gap-1">
              {verdict.reasons.map((reason, index) => (
                <ReasonLine key={index} reason={reason} />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

function ReasonLine({ reason }: { reason: Reason }) {
  const { path, expectation, actual } = reasonParts(reason);
  return (
    <li className="text-s break-words text-ink-2">
      {path !== null && <code className="text-ink">{visibleText(path, 200)}</code>} {visibleText(expectation, 300)}
      {actual !== null &&
        (reason.actual === null ? (
          `, ${actual}`
        ) : (
          <>
            , was <code className="break-all text-ink">{visibleText(actual, 200)}</code>
          </>
        ))}
    </li>
  );
}

/** The verdicts of an endpoint's triggers for a text as it is typed, or why there are none. */
function useResult(request: { endpoint: string; text: string; fields: GivenFields; version: string }) {
  const { endpoint, text, ...rest } = request;
  const isEmpty = text.trim() === "";
  const fault = useMemo(
    () => (isEmpty || text.length > maxLocalLength ? null : parseDraft(text).fault),
    [isEmpty, text],
  );
  const isWanted = !isEmpty && fault === null;
  const { verdicts, error, isPending, retry } = useVerdicts({
    of: { endpoint },
    text: isWanted ? text : null,
    ...rest,
  });
  const resultOf = (): VerdictsState => {
    if (fault) return { kind: "not-json", detail: describeFault(fault) };
    if (isEmpty || (!error && !verdicts)) return none;
    return error ? ofError(error) : { kind: "verdicts", verdicts: verdicts ?? [] };
  };
  return { result: resultOf(), isPending, retry };
}

function ofError(error: unknown): VerdictsState {
  const problem = problemOf(error);
  return problem.code === "invalid_json" ? { kind: "not-json", detail: problem.detail } : { kind: "failed", error };
}
