export type DecodedBody = { kind: "none" } | { kind: "text" | "bytes"; text: string };

const mostBytesAsHex = 4096;

/** A body as text where its bytes are UTF-8, else in hexadecimal, sixteen a line. Takes base64. */
export function decodeBody(base64: string | null): DecodedBody {
  if (base64 === null || base64 === "") return { kind: "none" };
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: "bytes", text: hexLines(bytes) };
  }
}

function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let start = 0; start < Math.min(bytes.length, mostBytesAsHex); start += 16) {
    const pairs = Array.from(bytes.subarray(start, start + 16), (byte) => byte.toString(16).padStart(2, "0"));
    lines.push(`${start.toString(16).padStart(6, "0")}  ${pairs.join(" ")}`);
  }
  if (bytes.length > mostBytesAsHex) lines.push(`… ${bytes.length - mostBytesAsHex} more bytes`);
  return lines.join("\n");
}
