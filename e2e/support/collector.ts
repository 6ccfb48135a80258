import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface CollectedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  /** 2: an error. */
  status: { code?: number; message?: string };
  events: { name: string; attributes: Record<string, unknown> }[];
  resource: Record<string, unknown>;
}

/** Takes what is sent to `/v1/traces` as JSON (OTLP over HTTP), as a collector would. */
export async function startCollector(): Promise<{
  url: string;
  spans: CollectedSpan[];
  headers: Record<string, unknown>[];
}> {
  const spans: CollectedSpan[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    if (request.url === "/v1/traces" && request.headers["content-type"] === "application/json") {
      headers.push(request.headers);
      spans.push(...readSpans(JSON.parse(text) as Sent));
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, headers };
}

/** https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface Sent {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[];
}

interface SentSpan extends Pick<CollectedSpan, "name" | "kind" | "traceId" | "spanId" | "status"> {
  parentSpanId?: string;
  attributes: Attribute[];
  events?: { name: string; attributes: Attribute[] }[];
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

function readSpans({ resourceSpans }: Sent): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        parentSpanId: span.parentSpanId ?? "",
        attributes: readAttributes(span.attributes),
        events: (span.events ?? []).map(({ name, attributes }) => ({ name, attributes: readAttributes(attributes) })),
        resource: readAttributes(resource.attributes),
      })),
    ),
  );
}

function readAttributes(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
