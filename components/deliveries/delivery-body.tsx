"use client";

import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { useEffect, useMemo, useState } from "react";
import type { JumpTo } from "../json/json-tree.tsx";
import { JsonView } from "../json/json-view.tsx";
import type { JsonMark } from "../json/place-marks.ts";
import { RawText } from "../json/raw-text.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { IconButton } from "../ui/button.tsx";
import { Choice } from "../ui/choice.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Panel } from "../ui/panel.tsx";
import { Segmented } from "../ui/segmented.tsx";
import type { FullDelivery } from "./full-delivery.ts";
import { hexLines } from "./hex-lines.ts";
import { type ReadBody, jsonOf, readBody } from "./read-body.ts";
import { saveBody } from "./save-body.ts";
import { matchedMarks, problemMarks, verdictMarks } from "./verdict-marks.ts";
import { formatBytes } from "../../server/domain/format.ts";

const faces = [
  { value: "pretty", label: "Pretty" },
  { value: "raw", label: "Raw" },
  { value: "bytes", label: "Bytes" },
] as const;
const faceNames = faces.map(({ value }) => value);
const maxBytes = 4096;

/** The body: laid out with the places that decided, as it came, or byte by byte. */
export function DeliveryBody({ delivery, jumpTo }: { delivery: FullDelivery; jumpTo: JumpTo | null }) {
  const body = useMemo(() => readBody(delivery.body), [delivery.body]);
  if (!body) {
    return (
      <Panel title="Body" note={formatBytes(delivery.bodyBytes)}>
        <p className="px-4 py-3 text-ink-2">{whyThereIsNone(delivery)}</p>
      </Panel>
    );
  }
  return <KeptBody delivery={delivery} body={body} jumpTo={jumpTo} />;
}

function KeptBody({ delivery, body, jumpTo }: { delivery: FullDelivery; body: ReadBody; jumpTo: JumpTo | null }) {
  const [asked, setFace] = useQueryState("body", parseAsStringLiteral(faceNames));
  const face = body.text === null ? "bytes" : (asked ?? "pretty");
  const [trigger, setTrigger] = useQueryState("marks", parseAsString);
  const marks = useMarks({ delivery, body, trigger });
  const triggers = [...new Set(delivery.verdicts.map((verdict) => verdict.trigger))];
  // A place is shown in the pretty view only.
  useEffect(() => {
    if (jumpTo) void setFace(null);
  }, [jumpTo, setFace]);
  return (
    <Panel title="Body" note={<span className="tabular-nums">{formatBytes(body.bytes.length)}</span>}>
      <div className="flex flex-wrap items-center gap-2 border-b px-3 py-2">
        {body.text === null ? (
          <span className="px-1 text-ink-2">Not text: shown byte by byte</span>
        ) : (
          <Segmented
            label="How the body is shown"
            value={face}
            options={faces}
            onChange={(value) => void setFace(value === "pretty" ? null : value)}
          />
        )}
        {face === "pretty" && triggers.length > 1 && (
          <Choice
            label="Whose places are marked"
            value={trigger ?? ""}
            options={[
              { value: "", label: "Places of all triggers" },
              ...triggers.map((slug) => ({ value: slug, label: slug })),
            ]}
            onChange={(value) => void setTrigger(value === "" ? null : value)}
          />
        )}
        <span className="ml-auto flex items-center gap-1">
          {body.text !== null && <CopyButton text={body.text} label="Copy the body as it came" />}
          <IconButton label="Download the body" icon={Download} size="s" onClick={() => saveBody(delivery.id, body)} />
        </span>
      </div>
      {face === "pretty" && body.text !== null && (
        <JsonView text={body.text} label="Body" marks={marks} maxHeight={560} jumpTo={jumpTo} />
      )}
      {face === "raw" && body.text !== null && <RawText text={body.text} label="Body" maxHeight={560} />}
      {face === "bytes" && <Bytes bytes={body.bytes} />}
    </Panel>
  );
}

/** What held is marked by the schemas of the project as it is now; what did not, by the verdicts. */
function useMarks({
  delivery,
  body,
  trigger,
}: {
  delivery: FullDelivery;
  body: ReadBody;
  trigger: string | null;
}): JsonMark[] {
  const trpc = useTRPC();
  const { data: triggers } = useQuery(trpc.triggers.list.queryOptions({ endpoint: delivery.endpoint }));
  const json = useMemo(() => jsonOf(body), [body]);
  return useMemo(() => {
    const fired = delivery.verdicts.filter(
      (verdict) => verdict.outcome === "matched" && (trigger === null || verdict.trigger === trigger),
    );
    const held = fired.flatMap(({ attachmentId }) => {
      const known = triggers?.find((one) => one.attachmentId === attachmentId);
      return known ? matchedMarks({ trigger: known.slug, schemas: [known.request, known.filter], json }) : [];
    });
    const stopped =
      delivery.verdicts.length > 0 ? verdictMarks(delivery.verdicts, trigger) : problemMarks(delivery.problem);
    return [...stopped, ...held];
  }, [delivery, json, trigger, triggers]);
}

function Bytes({ bytes }: { bytes: Uint8Array }) {
  const [most, setMost] = useState(maxBytes);
  const text = useMemo(() => hexLines(bytes, most), [bytes, most]);
  return (
    <>
      <pre
        tabIndex={0}
        role="region"
        aria-label="Body, byte by byte"
        className="max-h-[560px] overflow-auto px-4 py-3 text-s/5 text-ink-2"
      >
        {text}
      </pre>
      {bytes.length > most && (
        <button
          type="button"
          onClick={() => setMost((now) => now * 16)}
          className="w-full cursor-pointer border-t px-4 py-2 text-left text-accent hover:bg-sunken"
        >
          Show more: {formatBytes(bytes.length - most)} are below
        </button>
      )}
    </>
  );
}

function whyThereIsNone({ bodyBytes, problem, responseStatus }: FullDelivery): string {
  if (bodyBytes === 0) return "There was none.";
  if (responseStatus === 413)
    return `It was over the limit, so it was not read to its end and not kept. The sender declared or sent ${formatBytes(bodyBytes)}.`;
  if (problem)
    return `It was not kept: the request was refused before its body was read (${problem.title.toLowerCase()}).`;
  return "It is no longer kept: bodies are removed when their retention ends.";
}
