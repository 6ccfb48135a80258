import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { BucketCounts } from "../../../domain/tallies.ts";

type Labels = Record<string, string>;

interface MetricText<Sample> {
  name: string;
  help: string;
  labels?: string[];
  /** Called for each scrape. */
  read(): Iterable<Sample>;
}

type ValueText = MetricText<readonly [Labels, number]>;

/**
 * Metrics whose values are counted elsewhere, without prom-client in the hot path: it creates an object and a label
 * string for each observation.
 */
export function createPulledMetrics(registry: Registry) {
  return {
    counter: (text: ValueText) =>
      registry.registerMetric(new Counter(pulled<Counter>(text, (metric, [of, value]) => metric.inc(of, value)))),
    gauge: (text: ValueText) =>
      registry.registerMetric(new Gauge(pulled<Gauge>(text, (metric, [of, value]) => metric.set(of, value)))),
    histogram: (text: HistogramText) => registry.registerMetric(new PulledHistogram(text)),
  };
}

function pulled<M extends Counter | Gauge>(
  { name, help, labels = [], read }: ValueText,
  put: (metric: M, sample: readonly [Labels, number]) => void,
) {
  return {
    name,
    help,
    labelNames: labels,
    registers: [],
    collect(this: M) {
      this.reset();
      // After the reset, a metric without labels is 0, but a value that could not be read is unknown.
      if (labels.length === 0) this.remove();
      for (const sample of read()) put(this, sample);
    },
  };
}

type HistogramText = MetricText<readonly [Labels, BucketCounts]> & { bounds: readonly number[] };

class PulledHistogram extends Histogram {
  private readonly text: HistogramText;

  constructor(text: HistogramText) {
    super({
      name: text.name,
      help: text.help,
      labelNames: text.labels ?? [],
      buckets: [...text.bounds],
      registers: [],
    });
    this.text = text;
  }

  /** The interface of a histogram that a registry of prom-client needs. Its types do not declare it. */
  async getForPromString() {
    const { name, help, bounds, read } = this.text;
    return {
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      values: Array.from(read(), ([labels, counted]) => samplesOf({ name, bounds, labels, counted })).flat(),
    };
  }
}

export type PulledMetrics = ReturnType<typeof createPulledMetrics>;

/** The cumulative counts of the text format: each bucket includes all lower ones. */
function samplesOf({
  name,
  bounds,
  labels,
  counted,
}: {
  name: string;
  bounds: readonly number[];
  labels: Labels;
  counted: BucketCounts;
}) {
  let count = 0;
  const buckets = counted.counts.map((own, at) => {
    count += own;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? "+Inf" }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: counted.sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
