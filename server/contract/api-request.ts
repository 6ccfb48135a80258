import type { z } from "zod";

/** A request to the REST API, by the command line or by a tool. */
export interface ApiRequest<Answer extends z.ZodType> {
  method?: "GET" | "POST";
  /** Below /api/v1, e.g. `/runs`. Build paths with given values with `apiPath`. */
  path: string;
  /** Undefined values are omitted. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
  /** The schema of the response. */
  answer: Answer;
}

/** The request without a host. */
export function toRequest(
  { method = "GET", path, query = {}, body }: Omit<ApiRequest<z.ZodType>, "answer">,
  headers: Readonly<Record<string, string>> = {},
): Request {
  const url = new URL(`http://signalbox/api/v1${path}`);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const all = { accept: "application/json", ...headers };
  if (body === undefined) return new Request(url, { method, headers: all });
  return new Request(url, {
    method,
    headers: { ...all, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** A path with given values, each of them one segment. */
export function apiPath(parts: TemplateStringsArray, ...given: string[]): string {
  return String.raw({ raw: parts }, ...given.map((value) => encodeURIComponent(value.toWellFormed())));
}
