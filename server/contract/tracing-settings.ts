import { z } from "zod";

/** Where spans go, and which. */
export interface TracingSettings {
  /** Whole, e.g. `http://collector:4318/v1/traces`. */
  url: string;
  /** May hold a key: never shown. */
  headers: Record<string, string>;
  timeoutMs: number;
  serviceName: string;
  /** Attributes of the resource besides its name. */
  resource: Record<string, string>;
  sampler: { isParentBased: boolean; /** Share of the traces that begin here: 0 to 1. */ ratio: number };
}

const httpUrl = (name: string) =>
  z
    .url({ protocol: /^https?$/, error: `${name} must be an http:// or https:// URL, e.g. http://localhost:4318` })
    .optional();

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** `a=1,b=2`, percent-encoded: https://www.w3.org/TR/baggage/#header-content without properties. */
const pairs = (name: string) =>
  z
    .string()
    .transform((text) => text.split(",").filter((pair) => pair.trim() !== ""))
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^\s*[^=\s]+\s*=(?:[^%]|%[0-9a-fA-F]{2})*$/,
            `${name} must be comma-separated pairs, e.g. name=value,other=value, percent-encoded`,
          ),
      ),
    )
    .transform((list) =>
      Object.fromEntries(
        list.map((pair) => [pair.slice(0, pair.indexOf("=")).trim(), decode(pair.slice(pair.indexOf("=") + 1).trim())]),
      ),
    )
    .optional();

const timeout = (name: string) =>
  z.coerce
    .number(`${name} must be a number of milliseconds`)
    .int(`${name} must be a whole number of milliseconds`)
    .min(1, `${name} must be 1 or more`)
    .max(600_000, `${name} must be 600000 or less`)
    .optional();

const protocol = (name: string) =>
  z
    .literal(
      "http/json",
      `${name} must be http/json, the only protocol that Signalbox supports. Collectors accept it on the port of http/protobuf (4318)`,
    )
    .optional();

/**
 * The supported standard variables of OpenTelemetry: https://opentelemetry.io/docs/specs/otel/protocol/exporter/ and
 * …/configuration/sdk-environment-variables/
 */
export const tracingEnvironmentSchema = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl("OTEL_EXPORTER_OTLP_ENDPOINT").describe(
    "The collector; `/v1/traces` is appended. Default: no traces.",
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").describe(
    "The complete URL of the collector, in place of the previous one. Default: no traces.",
  ),
  OTEL_EXPORTER_OTLP_HEADERS: pairs("OTEL_EXPORTER_OTLP_HEADERS").describe(
    "Request headers, e.g. a key of the collector: `name=value,name=value`, percent-encoded. Default: none.",
  ),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairs("OTEL_EXPORTER_OTLP_TRACES_HEADERS").describe(
    "Further request headers. They take precedence. Default: none.",
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: timeout("OTEL_EXPORTER_OTLP_TIMEOUT").describe(
    "Milliseconds for sending a batch. Default: 10000.",
  ),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: timeout("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT").describe(
    "The same, and takes precedence. Default: the previous one.",
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol("OTEL_EXPORTER_OTLP_PROTOCOL").describe(
    "The only supported protocol. Default: `http/json`.",
  ),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL").describe(
    "The same. Default: `http/json`.",
  ),
  OTEL_SERVICE_NAME: z.string().optional().describe("The attribute `service.name`. Default: the project's name."),
  OTEL_RESOURCE_ATTRIBUTES: pairs("OTEL_RESOURCE_ATTRIBUTES").describe(
    "Further attributes of the resource, e.g. `deployment.environment.name=prod`. Default: none.",
  ),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, `OTEL_TRACES_SAMPLER must be one of ${samplers.join(", ")}`)
    .optional()
    .describe("Selects the traces to export. Default: `parentbased_always_on`."),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1")
    .min(0, "OTEL_TRACES_SAMPLER_ARG must be 0 or more")
    .max(1, "OTEL_TRACES_SAMPLER_ARG must be 1 or less")
    .optional()
    .describe("Share of the traces that `traceidratio` samples. Default: 1."),
});

/** The standard variables that turn traces off, with their values. */
export const tracingSwitches = { OTEL_SDK_DISABLED: "true", OTEL_TRACES_EXPORTER: "none" } as const;

/**
 * Reads the variables. Empty variables count as unset. `off`: no endpoint is set, or `OTEL_SDK_DISABLED` or
 * `OTEL_TRACES_EXPORTER=none` disables tracing; the other variables are then not checked. A problem names its variable,
 * never its value.
 */
export function readTracingSettings(
  env: Readonly<Record<string, string | undefined>>,
  defaultName: string,
): { kind: "off" } | { kind: "on"; tracing: TracingSettings } | { kind: "bad"; problem: string } {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const isOff = Object.entries(tracingSwitches).some(([name, value]) => given[name]?.toLowerCase() === value);
  if (isOff || !(given["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? given["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]))
    return { kind: "off" };
  const parsed = tracingEnvironmentSchema.safeParse(given);
  if (!parsed.success)
    return { kind: "bad", problem: parsed.error.issues[0]?.message ?? "The OTEL_… variables are invalid" };
  return { kind: "on", tracing: toSettings(parsed.data, defaultName) };
}

function toSettings(env: z.infer<typeof tracingEnvironmentSchema>, defaultName: string): TracingSettings {
  const { "service.name": nameInResource, ...resource } = env.OTEL_RESOURCE_ATTRIBUTES ?? {};
  const sampler = env.OTEL_TRACES_SAMPLER ?? "parentbased_always_on";
  return {
    url:
      env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
      `${env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, "") ?? ""}/v1/traces`,
    headers: { ...env.OTEL_EXPORTER_OTLP_HEADERS, ...env.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
    timeoutMs: env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? env.OTEL_EXPORTER_OTLP_TIMEOUT ?? 10_000,
    serviceName: env.OTEL_SERVICE_NAME ?? nameInResource ?? defaultName,
    resource,
    sampler: {
      isParentBased: sampler.startsWith("parentbased_"),
      ratio: sampler.endsWith("always_on")
        ? 1
        : sampler.endsWith("always_off")
          ? 0
          : (env.OTEL_TRACES_SAMPLER_ARG ?? 1),
    },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
