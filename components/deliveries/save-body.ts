import type { ReadBody } from "./read-body.ts";

/** Downloads a body, byte for byte. */
export function saveBody(id: string, { bytes, text }: ReadBody): void {
  // A neutral content type, so that the browser does not open content from an unauthenticated sender.
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${id}.${text === null ? "bin" : "json"}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
