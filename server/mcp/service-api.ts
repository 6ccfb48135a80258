import type { z } from "zod";
import { type ApiRequest, toRequest } from "../contract/api-request.ts";
import { errorCodes } from "../contract/error-codes.ts";
import { type Problem, problemSchema } from "../contract/problem.ts";
import type { ToolResult } from "./marked-data.ts";

/** Sends a request to the REST API of the service, with the permissions of the client of the tools. */
export type CallService = (request: Request) => Promise<Response>;

/**
 * The REST API as tools call it, in the same process or over the network: its access rules, limits, masking and audit
 * entries apply to them.
 */
export interface ServiceApi {
  /** Throws ServiceProblem. */
  request<Schema extends z.ZodType>(request: ApiRequest<Schema>): Promise<z.output<Schema>>;
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
