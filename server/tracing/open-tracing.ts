import type { TracingSettings } from "../contract/tracing-settings.ts";
import type { Tracing } from "../ports/tracing.ts";
import type { TracingOptions } from "./otlp-tracing.ts";

/** `null` without settings: OpenTelemetry is then not loaded. */
export async function openTracing({
  settings,
  ...rest
}: Omit<TracingOptions, "settings"> & { settings: TracingSettings | null }): Promise<Tracing | null> {
  if (settings === null) return null;
  const { createOtlpTracing } = await import("./otlp-tracing.ts");
  return createOtlpTracing({ settings, ...rest });
}
