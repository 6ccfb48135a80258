import { describe, expect, it } from "vitest";
import { readTracingSettings } from "./tracing-settings.ts";

const on = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
const read = (env: Record<string, string>) => readTracingSettings(env, "my-project");
const tracing = (env: Record<string, string>) => {
  const settings = read({ ...on, ...env });
  if (settings.kind !== "on") throw new Error(JSON.stringify(settings));
  return settings.tracing;
};

describe("traces", () => {
  it("are off without an endpoint, and if OpenTelemetry is disabled, with any other settings", () => {
    const off: Record<string, string>[] = [
      {},
      { OTEL_SERVICE_NAME: "x", OTEL_TRACES_SAMPLER: "nonsense" },
      { OTEL_EXPORTER_OTLP_ENDPOINT: "" },
      { ...on, OTEL_SDK_DISABLED: "TRUE" },
      { ...on, OTEL_TRACES_EXPORTER: "none" },
    ];
    for (const env of off) expect(read(env)).toEqual({ kind: "off" });
  });

  it("go to the endpoint, by default under the project's name", () => {
    expect(tracing({})).toEqual({
      url: "http://collector:4318/v1/traces",
      headers: {},
      timeoutMs: 10_000,
      serviceName: "my-project",
      resource: {},
      sampler: { isParentBased: true, ratio: 1 },
    });
    expect(
      tracing({
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example.com/in",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20YTpi, x=1",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x=2=3",
        OTEL_EXPORTER_OTLP_TIMEOUT: "500",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=shop,deployment.environment.name=prod",
        OTEL_TRACES_SAMPLER: "traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "0.25",
      }),
    ).toEqual({
      url: "https://traces.example.com/in",
      headers: { authorization: "Basic YTpi", x: "2=3" },
      timeoutMs: 500,
      serviceName: "shop",
      resource: { "deployment.environment.name": "prod" },
      sampler: { isParentBased: false, ratio: 0.25 },
    });
    expect(tracing({ OTEL_SERVICE_NAME: "web", OTEL_RESOURCE_ATTRIBUTES: "service.name=shop" }).serviceName).toBe(
      "web",
    );
    expect(tracing({ OTEL_TRACES_SAMPLER: "parentbased_always_off" }).sampler).toEqual({
      isParentBased: true,
      ratio: 0,
    });
  });

  it("reject invalid values: the problem names the variable and its format, and never contains its value", () => {
    const wrong: [Record<string, string>, string][] = [
      [
        { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318-canary" },
        "OTEL_EXPORTER_OTLP_ENDPOINT must be an http:// or https:// URL, e.g. http://localhost:4318",
      ],
      [
        { OTEL_EXPORTER_OTLP_HEADERS: "canary" },
        "OTEL_EXPORTER_OTLP_HEADERS must be comma-separated pairs, e.g. name=value,other=value, percent-encoded",
      ],
      [
        { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
        "OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, the only protocol that Signalbox supports. Collectors accept it on the port of http/protobuf (4318)",
      ],
      [{ OTEL_EXPORTER_OTLP_TIMEOUT: "10s-canary" }, "OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds"],
      [
        { OTEL_TRACES_SAMPLER: "canary" },
        "OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio",
      ],
      [{ OTEL_TRACES_SAMPLER_ARG: "2" }, "OTEL_TRACES_SAMPLER_ARG must be 1 or less"],
    ];
    for (const [env, problem] of wrong) expect(read({ ...on, ...env })).toEqual({ kind: "bad", problem });
  });
});
