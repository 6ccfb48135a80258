import { type Piece, type TimeScale, ticksOf } from "./time-scale.ts";
import { formatDuration } from "../../../server/shared/format.ts";

export const waterfallColumns = "grid grid-cols-[var(--label)_minmax(0,1fr)_var(--took)] gap-x-3 px-4";

export const percent = (share: number) => `${(share * 100).toFixed(3)}%`;

interface Props {
  scale: TimeScale;
  /** The position of the current time; `null`: the run has ended. */
  now: number | null;
}

/** Times since the run was created, above the rows. A gap shows its real duration. */
export function WaterfallAxis({ scale }: Props) {
  return (
    <div
      className={`${waterfallColumns} h-7 items-center overflow-hidden border-b text-xs text-ink-3 tabular-nums [scrollbar-gutter:stable]`}
    >
      <span className="truncate">
        <span className="md:hidden">Elapsed</span>
        <span className="hidden md:inline">Since creation</span>
      </span>
      <div className="relative h-full">
        {ticksOf(scale).map((tick, index, ticks) => (
          <span
            key={tick.at}
            className="@container absolute inset-y-0 hidden items-center border-l whitespace-nowrap first:flex md:flex"
            style={{ left: percent(tick.position), width: percent((ticks[index + 1]?.position ?? 1) - tick.position) }}
          >
            <span className={`pl-1.5 ${labelOf(index)}`}>{tick.label}</span>
          </span>
        ))}
        {gapsOf(scale).map((gap) => (
          <span
            key={gap.from}
            title={`Broken axis: ${formatDuration(gap.to - gap.from)} without activity, drawn shorter than to scale.`}
            className="@container absolute inset-y-0 z-1 flex items-center justify-center gap-1 overflow-hidden border-x bg-panel px-0.5 font-medium whitespace-nowrap text-ink-2"
            style={{ left: percent(gap.start), width: percent(gap.end - gap.start) }}
          >
            <BrokenMark />
            <span className="hidden @min-[40px]:inline">{formatDuration(gap.to - gap.from)}</span>
          </span>
        ))}
      </div>
      <span className="text-right">Duration</span>
    </div>
  );
}

/** If ticks are close together, only every second or fourth tick has a label. */
function labelOf(index: number): string {
  if (index % 4 === 0) return "";
  return index % 2 === 0 ? "hidden @min-[36px]:block" : "hidden @min-[64px]:block";
}

/** The lines behind all rows: ticks, gaps, the current time. */
export function WaterfallGrid({ scale, now }: Props) {
  return (
    <li
      aria-hidden
      role="presentation"
      className={`${waterfallColumns} pointer-events-none absolute inset-x-0 -top-1.5 -bottom-1.5`}
    >
      <div className="relative col-start-2">
        {ticksOf(scale).map((tick) => (
          <span
            key={tick.at}
            className="absolute inset-y-0 hidden border-l first:block md:block"
            style={{ left: percent(tick.position) }}
          />
        ))}
        {gapsOf(scale).map((gap) => (
          <span
            key={gap.from}
            className="absolute inset-y-0 border-x border-dashed bg-[repeating-linear-gradient(135deg,var(--sunken)_0_4px,transparent_4px_8px)]"
            style={{ left: percent(gap.start), width: percent(gap.end - gap.start) }}
          />
        ))}
        {now !== null && (
          <span className="absolute inset-y-0 border-l border-run" style={{ left: percent(scale.position(now)) }} />
        )}
      </div>
    </li>
  );
}

function gapsOf(scale: TimeScale): Piece[] {
  return scale.pieces.filter(({ isGap }) => isGap);
}

/** The sign of a broken axis. */
function BrokenMark() {
  return (
    <svg
      aria-hidden
      width="9"
      height="12"
      viewBox="0 0 9 12"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      className="shrink-0"
    >
      <path d="M1 11 4 1M5 11 8 1" />
    </svg>
  );
}
