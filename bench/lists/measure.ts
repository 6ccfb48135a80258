export interface Timing {
  medianMs: number;
  p95Ms: number;
}

/** Runs the work this number of times after a warm-up, and returns the last result. */
export async function measure<T>(times: number, work: () => Promise<T>): Promise<Timing & { answer: T }> {
  let answer = await work();
  const durations: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const began = performance.now();
    answer = await work();
    durations.push(performance.now() - began);
  }
  durations.sort((a, b) => a - b);
  const at = (share: number) => durations[Math.ceil(share * durations.length) - 1] ?? 0;
  return { medianMs: at(0.5), p95Ms: at(0.95), answer };
}
