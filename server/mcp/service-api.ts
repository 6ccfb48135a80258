import type { z } from "zod";
import { errorCodes } from "../contract/error-codes.ts";
import { type Problem, problemSchema } from "../contract/problem.ts";
import type { ToolResult } from "./marked-data.ts";

/** Sends a request to the REST API of the service, with the permissions of the client of the tools. */
export type CallService = (request: Request) => Promise<Response>;

interface ServiceRequest<Schema extends z.ZodType> {
  method?: "GET" | "POST";
  /** Below /api/v1. Build paths with given values with `apiPath`. */
  path: string;
  /** Undefined values are omitted. */
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  answer: Schema;
}

/**
 * The REST API as tools call it, in the same process or over the network: its access rules, limits, masking and audit
 * entries apply to them.
 */
export interface ServiceApi {
  /** Throws ServiceProblem. */
  request<Schema extends z.ZodType>(request: ServiceRequest<Schema>): Promise<z.output<Schema>>;
}

export function createServiceApi(call: CallService): ServiceApi {
  return {
    async request(request) {
      const response = await call(toRequest(request));
      const body: unknown = await response.json().catch(() => null);
      if (!response.ok) throw new ServiceProblem(response.status, problemSchema.safeParse(body).data ?? null);
      return request.answer.parse(body);
    },
  };
}

function toRequest({ method = "GET", path, query = {}, body }: ServiceRequest<z.ZodType>): Request {
  const url = new URL(`http://signalbox/api/v1${path}`);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const headers = { accept: "application/json" };
  if (body === undefined) return new Request(url, { method, headers });
  return new Request(url, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** A path with given values, each of them one segment. */
export function apiPath(parts: TemplateStringsArray, ...given: string[]): string {
  return String.raw({ raw: parts }, ...given.map((value) => encodeURIComponent(value.toWellFormed())));
}

/** The service answered with a problem; `null`: with something else. */
export class ServiceProblem extends Error {
  override readonly name = "ServiceProblem";
  readonly status: number;
  readonly problem: Problem | null;

  constructor(status: number, problem: Problem | null) {
    super(`The service responded with status ${status}.`);
    this.status = status;
    this.problem = problem;
  }
}

/** A problem for a model: its detail can repeat parts of a request, so that it is data. */
export function describeProblem({ status, problem }: ServiceProblem): ToolResult {
  const known = Object.entries(errorCodes).find(([code]) => code === problem?.code)?.[1];
  if (!problem || !known)
    return { facts: [`The service responded with status ${status}.`], data: problem ?? undefined };
  return {
    facts: [`${known.title} (status ${status}).`, known.fix],
    data: { detail: problem.detail, errors: problem.errors },
  };
}
