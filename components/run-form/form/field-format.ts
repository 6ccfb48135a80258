import { Clock, Dices, type LucideIcon } from "lucide-react";

/** The input of a string format. */
export interface FieldFormat {
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

export function formatOf(name: string | null): FieldFormat {
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
