import { readFileSync } from "node:fs";

/** Reads how long the main thread of a process has waited for a processor so far, ms. `null`: unknown. */
export type ReadProcessorWait = (pid: number) => number | null;

/** Linux counts it for each thread. The read is synchronous, because the kernel answers from memory. */
export const readProcessorWait: ReadProcessorWait = (pid) => {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    const waitedMs = Number(waitedNs) / 1e6;
    return Number.isFinite(waitedMs) ? waitedMs : null;
  } catch {
    return null;
  }
};

/** A shorter silence needs no explanation. */
const shortMs = 1_000;
/** A silence counts at least this part, so that it ends on any machine. */
const minPart = 1 / 8;

export interface Silence {
  /** The process has sent something. */
  end(): void;
  /** Its duration without the time in which the process waited for a processor, ms. */
  ms(): number;
}

/**
 * Measures how long a process has sent nothing. On an overloaded machine, a process is slow because it waits for a
 * processor. It is then neither blocked nor stopped, and another process would not be faster.
 */
export function measureSilence(pid: number | undefined, read: ReadProcessorWait = readProcessorWait): Silence {
  let since = performance.now();
  /** The wait of the process when the silence was no longer short. */
  let before: number | null = null;
  return {
    end() {
      since = performance.now();
      before = null;
    },
    ms() {
      const ms = performance.now() - since;
      if (ms < shortMs || pid === undefined) return ms;
      const waited = read(pid);
      if (waited === null) return ms;
      before ??= waited;
      return Math.max(ms - (waited - before), ms * minPart);
    },
  };
}
