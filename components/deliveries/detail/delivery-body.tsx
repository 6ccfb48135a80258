"use client";

import type { BodyMark, DeliveryDetails } from "../../../server/contract/delivery.ts";
import { Download } from "lucide-react";
import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { useEffect, useMemo, useState } from "react";
import { formatBytes } from "../../../server/shared/format.ts";
import { JsonView, type JumpTo } from "../../json/json-view.tsx";
import type { JsonMark } from "../../json/pointers.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { RawText } from "../../json/raw-text.tsx";
import { saveFile, saveLink } from "../../runs/save-file.ts";
import { IconButton } from "../../ui/controls/button.tsx";
import { Choice, Segmented } from "../../ui/controls/choice.tsx";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { Panel } from "../../ui/page-layout.tsx";
import type { Tone } from "../../ui/statuses.ts";
import { filesOf, hexLines, type ReadBody, readBody } from "../../json/read-body.ts";

const faces = [
  { value: "pretty", label: "Pretty" },
  { value: "raw", label: "Raw" },
  { value: "bytes", label: "Bytes" },
] as const;
const faceNames = faces.map(({ value }) => value);
const maxBytes = 4096;

/** The body: formatted with marked paths, raw, or as bytes. */
export function DeliveryBody({ delivery, jumpTo }: { delivery: DeliveryDetails; jumpTo: JumpTo | null }) {
  const body = useMemo(() => readBody(delivery.body), [delivery.body]);
  if (!body) {
    return (
      <Panel title="Body" note={formatBytes(delivery.bodyBytes)}>
        <p className="px-4 py-3 text-ink-2">{whyAbsent(delivery)}</p>
      </Panel>
    );
  }
  return <StoredBody delivery={delivery} body={body} jumpTo={jumpTo} />;
}

function StoredBody({ delivery, body, jumpTo }: { delivery: DeliveryDetails; body: ReadBody; jumpTo: JumpTo | null }) {
  const [wanted, setFace] = useQueryState("body", parseAsStringLiteral(faceNames));
  const [trigger, setTrigger] = useQueryState("marks", parseAsString);
  // Text is easier to read as it was sent than as a string of JSON.
  const { evaluated } = delivery;
  const isJson = evaluated && evaluated.format !== "text" && evaluated.format !== "bytes";
  const pretty = isJson ? evaluated.text : (body.text ?? evaluated?.text ?? null);
  const possible = faces.filter(
    ({ value }) => ({ pretty: pretty !== null, raw: body.text !== null, bytes: true })[value],
  );
  const first = possible[0]?.value ?? "bytes";
  const face = possible.find(({ value }) => value === wanted)?.value ?? first;
  const files = useMemo(
    () => (delivery.evaluated?.format === "multipart" ? filesOf(delivery.id, delivery.evaluated.text) : []),
    [delivery],
  );
  const marks = useMemo(() => marksOf(delivery.marks, trigger), [delivery, trigger]);
  const triggers = [...new Set(delivery.verdicts.map((verdict) => verdict.trigger))];
  // Only the pretty view can show a path.
  useEffect(() => {
    if (jumpTo) void setFace(null);
  }, [jumpTo, setFace]);
  return (
    <Panel title="Body" note={<span className="tabular-nums">{formatBytes(body.bytes.length)}</span>}>
      <div className="flex flex-wrap items-center gap-2 border-b px-3 py-2">
        {possible.length === 1 ? (
          <span className="px-1 text-ink-2">Not UTF-8 text: shown as bytes</span>
        ) : (
          <Segmented
            label="View of the body"
            value={face}
            options={possible}
            onChange={(value) => void setFace(value === first ? null : value)}
          />
        )}
        {face === "pretty" && triggers.length > 1 && (
          <Choice
            label="Marked paths"
            value={trigger ?? ""}
            options={[
              { value: "", label: "Paths of all triggers" },
              ...triggers.map((slug) => ({ value: slug, label: slug })),
            ]}
            onChange={(value) => void setTrigger(value === "" ? null : value)}
          />
        )}
        <span className="ml-auto flex items-center gap-1">
          {body.text !== null && <CopyButton text={body.text} label="Copy the original body" />}
          <IconButton label="Download the body" icon={Download} size="s" onClick={() => saveBody(delivery, body)} />
        </span>
      </div>
      {files.length > 0 && (
        <ul aria-label="Files" className="border-b px-4 py-2">
          {files.map(({ filename, contentType, size, path }, at) => (
            <li key={path} className="flex items-center gap-3">
              <PlainText text={filename} />
              <span className="text-s text-ink-3">
                <PlainText text={contentType} /> · {formatBytes(size)}
              </span>
              <IconButton label={`Download file ${at + 1}`} icon={Download} size="s" onClick={() => saveLink(path)} />
            </li>
          ))}
        </ul>
      )}
      {face === "pretty" && pretty !== null && (
        <JsonView text={pretty} label="Body" marks={marks} maxHeight={560} jumpTo={jumpTo} />
      )}
      {face === "raw" && body.text !== null && <RawText text={body.text} label="Body" maxHeight={560} />}
      {face === "bytes" && <Bytes bytes={body.bytes} />}
    </Panel>
  );
}

const markTones: Record<BodyMark["kind"], Tone> = { matched: "ok", stopped: "wait", wrong: "bad", other: "idle" };

/** The marks of all triggers, or of one. A mark names its triggers if others decided otherwise. */
function marksOf(marks: readonly BodyMark[], trigger: string | null): JsonMark[] {
  return marks
    .filter(({ triggers }) => trigger === null || triggers.length === 0 || triggers.includes(trigger))
    .map(({ pointer, kind, text, triggers, isOfAll }) => ({
      pointer,
      tone: markTones[kind],
      note: isOfAll || trigger !== null ? text : `${triggers.join(", ")}: ${text}`,
    }));
}

function Bytes({ bytes }: { bytes: Uint8Array }) {
  const [max, setMax] = useState(maxBytes);
  const text = useMemo(() => hexLines(bytes, max), [bytes, max]);
  return (
    <>
      <pre
        tabIndex={0}
        role="region"
        aria-label="Body as bytes"
        className="max-h-[560px] overflow-auto px-4 py-3 text-s/5 text-ink-2"
      >
        {text}
      </pre>
      {bytes.length > max && (
        <button
          type="button"
          onClick={() => setMax((now) => now * 16)}
          className="w-full cursor-pointer border-t px-4 py-2 text-left text-accent hover:bg-sunken"
        >
          Show more ({formatBytes(bytes.length - max)} left)
        </button>
      )}
    </>
  );
}

function whyAbsent({ bodyBytes, problem, responseStatus }: DeliveryDetails): string {
  if (bodyBytes === 0) return "The request had no body.";
  if (responseStatus === 413)
    return `The body was over the size limit, so the server stopped reading and did not store it. The sender declared or sent ${formatBytes(bodyBytes)}.`;
  if (problem)
    return `The body was not stored: the request was rejected before its body was read (${problem.title.toLowerCase()}).`;
  return "The body was deleted when its retention ended.";
}

/** Downloads a body, byte for byte. */
function saveBody({ id, evaluated }: DeliveryDetails, { bytes, text }: ReadBody): void {
  const ending = text === null ? "bin" : evaluated === null ? "json" : "txt";
  // A neutral content type, so that the browser does not open content from an unauthenticated sender.
  saveFile({ name: `${id}.${ending}`, type: "application/octet-stream", content: bytes });
}
