"use client";

import type { FieldProps } from "@rjsf/utils";
import { Clock, Dices, type LucideIcon } from "lucide-react";
import { type ChangeEvent, type ClipboardEvent, useState } from "react";
import { IconButton } from "../../ui/controls/button.tsx";
import { type Draft, draftOf, withChoiceOf } from "../draft/draft.ts";
import { fieldClass, useChange, useFieldAttributes, useField } from "./form-context.ts";
import { JsonEntry, MisfitEntry } from "./json-entry.tsx";

/** The input of a string format. */
interface FieldFormat {
  name: string | null;
  inputMode?: "email" | "url" | "text";
  placeholder?: string;
  /** The browser's own input, if it can represent the current value. */
  picker: { type: "date" | "time"; fits: RegExp } | null;
  /** A button that fills in a valid value. */
  make: { label: string; icon: LucideIcon; value: () => string } | null;
}

const plain = { picker: null, make: null };

const formats: Record<string, Omit<FieldFormat, "name">> = {
  email: { ...plain, inputMode: "email", placeholder: "ada@example.com" },
  uri: { ...plain, inputMode: "url", placeholder: "https://example.com/" },
  date: { ...plain, picker: { type: "date", fits: /^(?:\d{4}-\d\d-\d\d)?$/ } },
  time: { ...plain, picker: { type: "time", fits: /^(?:\d\d:\d\d(?::\d\d)?)?$/ } },
  "date-time": {
    ...plain,
    placeholder: "2026-01-31T12:00:00Z",
    make: { label: "Insert the current time", icon: Clock, value: () => new Date().toISOString() },
  },
  uuid: {
    ...plain,
    placeholder: "00000000-0000-4000-8000-000000000000",
    make: { label: "Generate a UUID", icon: Dices, value: newUuid },
  },
  ipv4: { ...plain, placeholder: "192.0.2.1" },
  ipv6: { ...plain, placeholder: "2001:db8::1" },
  duration: { ...plain, placeholder: "PT15M" },
};

/** A string, with the input of its format. Values that the input cannot represent use a text input. */
export function TextEntry(props: FieldProps<Draft>) {
  const { node } = useField();
  const draft = props.formData;
  const change = useChange(props);
  if (node.kind !== "text") return null;
  if (draft && draft.is !== "string") return <MisfitEntry {...props} expected="a string" />;
  // A text area would change CRLF line ends.
  if (draft?.text.includes("\r")) return <JsonEntry {...props} />;
  const setText = (text: string) => change((before) => withChoiceOf(before, draftOf.text(text)));
  return <TextField id={props.fieldPathId.$id} text={draft?.text} format={formatOf(node.format)} onText={setText} />;
}

interface FieldProperties {
  id: string;
  text: string | undefined;
  format: FieldFormat;
  onText: (text: string) => void;
}

const longText = 60;

function TextField({ id, text, format, onText }: FieldProperties) {
  const attributes = useFieldAttributes(id);
  // Decided on the first render and on paste, not while typing.
  const [isLong, setIsLong] = useState(
    text !== undefined && (text.includes("\n") || (format.name === null && text.length > longText)),
  );
  const common = {
    ...attributes,
    placeholder: text === undefined ? "absent" : text === "" ? "empty string" : format.placeholder,
    spellCheck: false,
    autoComplete: "off",
  };
  const onChange = (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onText(event.target.value);
  if (isLong || text?.includes("\n")) {
    return (
      <textarea
        {...common}
        rows={3}
        value={text ?? ""}
        onChange={onChange}
        className={`${fieldClass} h-auto max-h-80 min-h-[34px] resize-y py-1.5 [field-sizing:content]`}
      />
    );
  }
  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData("text");
    if (!pasted.includes("\n")) return;
    event.preventDefault();
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    setIsLong(true);
    onText(
      value.slice(0, selectionStart ?? value.length) +
        pasted.replaceAll("\r\n", "\n") +
        value.slice(selectionEnd ?? value.length),
    );
  };
  const type =
    format.picker !== null && (text === undefined || format.picker.fits.test(text)) ? format.picker.type : "text";
  return (
    <span className="flex min-w-0 gap-1.5">
      <input
        {...common}
        type={type}
        inputMode={format.inputMode}
        step={type === "time" ? 1 : undefined}
        value={text ?? ""}
        onChange={onChange}
        onPaste={onPaste}
        className={fieldClass}
      />
      {format.make && (
        <IconButton
          label={format.make.label}
          icon={format.make.icon}
          tone="plain"
          className="size-[34px]!"
          onClick={() => onText(format.make?.value() ?? "")}
        />
      )}
    </span>
  );
}

function formatOf(name: string | null): FieldFormat {
  return { name, ...plain, ...(name !== null && Object.hasOwn(formats, name) ? formats[name] : {}) };
}

/** Version 4 (RFC 9562). `crypto.randomUUID` exists on https and localhost only. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
