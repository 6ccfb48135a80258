import type { Message } from "esbuild";
import type { DiagnosticCode } from "../diagnostics/diagnostic-codes.ts";

/** The `detail` of an esbuild message from the build itself: its diagnostic. Default of `reason`: that of the code. */
export interface MessageDetail {
  code: DiagnosticCode;
  fix?: string;
  reason?: string;
}

/** A message of the build about a place in a text. `file` is the path in the project. */
export function toMessage(
  detail: MessageDetail,
  at: { text: string; file: string; source: string; index: number },
): Message {
  const before = at.source.slice(0, Math.max(0, at.index)).split("\n");
  const lineText = at.source.split("\n")[before.length - 1] ?? "";
  const column = Buffer.byteLength(before.at(-1) ?? "");
  const location = { file: at.file, line: before.length, column, length: 1, lineText, namespace: "", suggestion: "" };
  return { id: "", pluginName: "signalbox-project", text: at.text, detail, location, notes: [] };
}

export function detailOf(detail: unknown): MessageDetail | null {
  return isDetail(detail) ? detail : null;
}

function isDetail(detail: unknown): detail is MessageDetail {
  return typeof detail === "object" && detail !== null && "code" in detail;
}
