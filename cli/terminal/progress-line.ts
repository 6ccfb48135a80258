import type { Output } from "./terminal.ts";

export interface Progress {
  label: string;
  done: number;
  of: number;
  /** The counted things, for outputs that are not a terminal. Default: `rows`. */
  unit?: string;
}

const width = 30;
const redrawMs = 100;
const lineMs = 10_000;

/** A progress bar on a terminal; elsewhere a plain line every ten seconds. `now` is in milliseconds. */
export function createProgressLine(
  output: Output,
  now: () => number,
): { show(progress: Progress): void; clear(): void } {
  let shownAt = now();
  let isDrawn = false;
  return {
    show({ label, done, of, unit = "rows" }) {
      const share = of === 0 ? 1 : Math.min(1, done / of);
      if (now() - shownAt < (output.isTerminal ? redrawMs : lineMs)) return;
      shownAt = now();
      const percent = `${Math.floor(share * 100)} %`;
      if (!output.isTerminal) return output.write(`${label}: ${done} of ${of} ${unit} (${percent})\n`);
      const full = Math.round(share * width);
      isDrawn = true;
      output.write(
        `\r\u001b[2K${output.paint("busy", "█".repeat(full))}${output.paint("dim", "░".repeat(width - full))} ${percent.padStart(5)}  ${label}`,
      );
    },
    clear() {
      if (isDrawn) output.write("\r\u001b[2K");
      isDrawn = false;
    },
  };
}
