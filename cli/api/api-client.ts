import type { z } from "zod";
import { type ApiRequest, toRequest } from "../../server/contract/api-request.ts";
import type { Page } from "../../server/contract/list.ts";
import { errorCodes } from "../../server/contract/error-codes.ts";
import { type Problem, problemSchema } from "../../server/contract/problem.ts";
import { didYouMean } from "../../sdk/did-you-mean.ts";
import { Failure } from "../terminal/failure.ts";

/** `notFoundFix`: the fix for a 404. */
type CliRequest<Schema extends z.ZodType> = ApiRequest<Schema> & { notFoundFix?: string };

const headers = { "signalbox-client": "cli" };

/** Sends requests to the REST API and parses the responses. Problems are thrown as Failures. */
export interface ApiClient {
  request<Schema extends z.ZodType>(request: CliRequest<Schema>): Promise<z.output<Schema>>;
  /** The bytes of a file, as they are received. Reading them throws a Failure if the connection breaks. */
  download(request: Pick<ApiRequest<z.ZodType>, "path" | "query">): AsyncIterable<Uint8Array>;
}

export function createApiClient(transport: ApiTransport): ApiClient {
  return {
    async request(request) {
      const response = await transport(toRequest(request, headers));
      const body = await response.json().catch(() => null);
      if (!response.ok) throw toFailure(response.status, body, request.notFoundFix);
      const parsed = request.answer.safeParse(body);
      if (parsed.success) return parsed.data;
      throw new Failure(`Unexpected response from ${request.path}: this version of signalbox cannot read it.`, {
        code: "unexpected_answer",
        fix: "Check that the service is a Signalbox of the same version as this command: see `signalbox --version`.",
        cause: parsed.error,
      });
    },
    async *download(request) {
      const response = await transport(toRequest(request, headers));
      if (!response.ok) throw toFailure(response.status, await response.json().catch(() => null), undefined);
      try {
        yield* response.body ?? [];
      } catch (cause) {
        throw interrupted(request.path, cause);
      }
    },
  };
}

function interrupted(path: string, cause: unknown): Failure {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Failure(`The response to ${path} ended early: ${why}`, {
    code: "unreachable",
    fix: "Run the command again. The log of the service may have the reason.",
    cause,
  });
}

function toFailure(status: number, body: unknown, notFoundFix: string | undefined): Failure {
  const problem = problemSchema.safeParse(body).data;
  if (!problem) {
    return new Failure(`Unexpected response: status ${status}, not from Signalbox.`, {
      code: "unexpected_answer",
      fix: "Check that SIGNALBOX_URL is the address of a Signalbox service, without a path.",
    });
  }
  return problemFailure(problem, status === 404 ? notFoundFix : undefined);
}

/** A problem response of the service as a failure of the command. */
export function problemFailure(problem: Problem, fix?: string): Failure {
  // A detail that names a command already has the fix.
  const otherFix = /\bsignalbox [a-z]/.test(problem.detail) ? "" : (fix ?? tableFix(problem.code));
  return new Failure(problem.detail, {
    code: problem.code,
    errors: problem.errors ?? [],
    fix: ownFixes[problem.code] ?? otherFix,
    extra: { status: problem.status },
  });
}

/** Fixes for users of the command line. The table of error codes has the fixes for users of HTTP. */
const ownFixes: Record<string, string> = {
  unauthorized:
    "Set SIGNALBOX_TOKEN to an API token. `signalbox keys create --api --scope read` on the machine of the service creates one.",
  run_ended: "`signalbox runs replay <id>` starts a new run with the same payload.",
  invalid_request: "Run the command with `--help` to see its arguments.",
  invalid_input: "Run the command with `--help` to see its arguments.",
};

function tableFix(code: string): string {
  return Object.entries(errorCodes).find(([known]) => known === code)?.[1].fix ?? "";
}

/** Sends a request to the REST API of a local or remote service. */
export type ApiTransport = (request: Request) => Promise<Response>;

/** A filter of a list. `cursor`: continues an earlier page. */
export type RowFilter = Record<string, string | number | boolean | undefined> & { limit: number; cursor?: string };

/** A limit, because pages of a selective filter can be short or empty. */
const maxPages = 100;

/** The newest rows of a list, up to the limit, from several pages if necessary. */
export async function readRows<Row>(
  api: ApiClient,
  list: { path: string; answer: z.ZodType<Page<Row>> },
  { limit, cursor: from, ...filter }: RowFilter,
): Promise<Page<Row>> {
  const data: Row[] = [];
  let nextCursor: string | null = from ?? null;
  for (let page = 0; page < maxPages; page++) {
    const query = { ...filter, limit: limit - data.length, cursor: nextCursor ?? undefined };
    const answer: Page<Row> = await api.request({ ...list, query });
    data.push(...answer.data);
    ({ nextCursor } = answer);
    if (nextCursor === null || data.length >= limit) break;
  }
  return { data, nextCursor };
}

/**
 * Runs a request with an id. If the id is unknown, the failure suggests an existing one: the only id that contains the
 * given part (ids are often copied in part), otherwise the most similar one.
 */
export async function withSuggestedId<T>(options: {
  id: string;
  request: () => Promise<T>;
  knownIds: () => Promise<string[]>;
}): Promise<T> {
  try {
    return await options.request();
  } catch (error) {
    if (!(error instanceof Failure) || error.details.code !== "not_found") throw error;
    const known = await options.knownIds().catch(() => []);
    throw new Failure(`${error.message}${suggestId(options.id, known)}`, error.details);
  }
}

function suggestId(given: string, known: readonly string[]): string {
  const containing = given.length >= 4 ? known.filter((id) => id.toLowerCase().includes(given.toLowerCase())) : [];
  const [only] = containing;
  return containing.length === 1 && only ? ` Did you mean "${only}"?` : didYouMean(given, known);
}
