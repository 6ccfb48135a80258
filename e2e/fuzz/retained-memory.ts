import { connect } from "node:net";
import { text } from "node:stream/consumers";

/** The option that makes every process of a service report its memory, without garbage. */
export const memoryReportOption = `--import=${new URL("./report-memory.ts", import.meta.url).href}`;

/** An abstract socket of Linux: it has no file. */
export function memorySocketOf(pid: number): string {
  return `\0signalbox-fuzz-memory-${pid}`;
}

/**
 * The memory that a process retains, in MiB: its heap after a full collection, and its Buffers. Resident memory also
 * has the garbage that V8 has not collected yet, which may be hundreds of megabytes under load. NaN for a process that
 * has ended.
 */
export async function measureRetainedMb(pid: number): Promise<number> {
  const bytes = await text(connect(memorySocketOf(pid))).catch(() => "");
  return bytes === "" ? Number.NaN : Number(bytes) / 2 ** 20;
}
