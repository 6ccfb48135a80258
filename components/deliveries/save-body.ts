import type { ReadBody } from "./read-body.ts";

/** Has the browser save a body, byte for byte. */
export function saveBody(id: string, { bytes, text }: ReadBody): void {
  // As bytes of no kind: nothing of a stranger's is opened by the browser.
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${id}.${text === null ? "bin" : "json"}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
