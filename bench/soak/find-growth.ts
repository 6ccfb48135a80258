import { median } from "../report/statistics.ts";
import type { Sample } from "./sample.ts";

export interface Growth {
  what: string;
  /** The median of the second tenth: the first is for warming up. */
  early: number;
  /** The median of the last tenth. */
  late: number;
  isGrowth: boolean;
}

/** With the normal fluctuation of a heap, and of descriptors with connections. */
const measures = {
  rssMb: { title: "resident MiB", share: 0.25, fixed: 16 },
  descriptors: { title: "descriptors", share: 0, fixed: 16 },
} as const;
type Measure = keyof typeof measures;
const maxWalMb = 64;

/** Compares early with late samples. The database itself grows with what it keeps, and is not compared. */
export function findGrowth(
  samples: readonly Sample[],
  compared: readonly Measure[] = ["rssMb", "descriptors"],
): Growth[] {
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  const [early, late] = [samples.slice(tenth, 2 * tenth), samples.slice(-tenth)];
  const wal = samples.map(({ walMb }) => walMb);
  return [
    ...["receiver", "web", "worker", "supervisor"].flatMap((name) =>
      compared.map((measure) => {
        const { title, share, fixed } = measures[measure];
        const of = (some: readonly Sample[]) => median(some.map((sample) => largest(sample, name, measure)));
        const [before, after] = [of(early), of(late)];
        return {
          what: `${title} of ${name}`,
          early: before,
          late: after,
          isGrowth: after > before * (1 + share) + fixed,
        };
      }),
    ),
    {
      what: "largest WAL MiB, in the first and second half",
      early: Math.max(0, ...wal.slice(0, wal.length / 2)),
      late: Math.max(0, ...wal.slice(wal.length / 2)),
      isGrowth: Math.max(0, ...wal) > maxWalMb,
    },
  ];
}

function largest(sample: Sample, name: string, of: Measure): number {
  return Math.max(0, ...sample.processes.filter((process) => process.name === name).map((process) => process[of]));
}
