import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { BucketCounts } from "../../../domain/bucket-tally.ts";

type Labels = Record<string, string>;

interface MetricText<Sample> {
  name: string;
  help: string;
  labels?: string[];
  /** Asked for whenever somebody scrapes. */
  read(): Iterable<Sample>;
}

/** Metrics whose values are counted elsewhere, without a trace of prom-client where they are counted: it makes an object and a text of labels for each observation. */
export function createPulledMetrics(registry: Registry) {
  return {
    counter({ name, help, labels = [], read }: MetricText<readonly [Labels, number]>): void {
      const metric = new Counter({
        name,
        help,
        labelNames: labels,
        registers: [],
        collect() {
          this.reset();
          // Without labels it is 0 by now; but what could not be read is not known.
          if (labels.length === 0) this.remove();
          for (const [of, value] of read()) this.inc(of, value);
        },
      });
      registry.registerMetric(metric);
    },
    gauge({ name, help, labels = [], read }: MetricText<readonly [Labels, number]>): void {
      const metric = new Gauge({
        name,
        help,
        labelNames: labels,
        registers: [],
        collect() {
          this.reset();
          // Without labels it is 0 by now; but what could not be read is not known.
          if (labels.length === 0) this.remove();
          for (const [of, value] of read()) this.set(of, value);
        },
      });
      registry.registerMetric(metric);
    },
    histogram(text: HistogramText): void {
      registry.registerMetric(new PulledHistogram(text));
    },
  };
}

type HistogramText = MetricText<readonly [Labels, BucketCounts]> & { bounds: readonly number[] };

class PulledHistogram extends Histogram {
  private readonly text: HistogramText;

  constructor(text: HistogramText) {
    super({ name: text.name, help: text.help, labelNames: text.labels ?? [], buckets: [...text.bounds], registers: [] });
    this.text = text;
  }

  /** What a registry of prom-client asks a histogram for; its types do not tell of it. */
  async getForPromString() {
    const { name, help, bounds, read } = this.text;
    return { name, help, type: "histogram", aggregator: "sum", values: Array.from(read(), ([labels, counted]) => samplesOf({ name, bounds, labels, counted })).flat() };
  }
}

export type PulledMetrics = ReturnType<typeof createPulledMetrics>;

/** As the text format has them: each bucket with all that are below it. */
function samplesOf({ name, bounds, labels, counted }: { name: string; bounds: readonly number[]; labels: Labels; counted: BucketCounts }) {
  let count = 0;
  const buckets = counted.counts.map((own, at) => {
    count += own;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? "+Inf" }, value: count };
  });
  return [...buckets, { metricName: `${name}_sum`, labels, value: counted.sum }, { metricName: `${name}_count`, labels, value: count }];
}
