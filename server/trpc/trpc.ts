import { initTRPC, TRPCError } from "@trpc/server";
import { z } from "zod";
import { actionOfProcedure, scopeOfProcedure } from "../auth/access/access-table.ts";
import { type AuditContext, auditContextOf, auditOf } from "../auth/access/audit-context.ts";
import type { KeyCipher } from "../auth/keys/service-secret.ts";
import { type Client, type Principal, requireAccess } from "../auth/access/principal.ts";
import type { TakeSlot } from "../auth/limits/request-slots.ts";
import type { Mode } from "../config.ts";
import { AppError, toProblem } from "../contract/app-error.ts";
import { errorCodes } from "../contract/error-codes.ts";
import type { Json } from "../contract/json.ts";
import type { ProblemError } from "../contract/problem.ts";
import type { BodyBudget } from "../domain/requests/request-body.ts";
import { toPointer } from "../domain/json/json-pointer.ts";
import { redactText } from "../domain/deliveries/redaction.ts";
import type { Receive } from "../ingest/receive.ts";
import type { Clock } from "../ports/clock.ts";
import type { Identity } from "../ports/identity.ts";
import type { Logger } from "../ports/logger.ts";
import type { AuditStore } from "../ports/store/people-store.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { Store } from "../ports/store.ts";
import type { TrafficReader } from "../traffic/traffic-reader.ts";

/** The dependencies of the procedures. */
export interface TrpcDeps {
  store: Store;
  /** Notifies about every change that a page may show: writes to the store, and a reload of the project. */
  news: Pick<Store, "watch">;
  /** What went through endpoints: buckets of the past are read once for all who ask. */
  traffic: TrafficReader;
  project: ProjectReader;
  signals: Signals;
  clock: Clock;
  logger: Logger;
  mode: Mode;
  /** Of this project, as the app shows it. */
  name: string;
  /** The maximum body of a webhook. It also limits JSON that a person sends as a string. */
  maxBodyBytes: number;
  /** Bounds what one key or person has in progress. */
  takeSlot: TakeSlot;
  /** The memory for all bodies that are in progress. */
  bodies: BodyBudget;
  /** Where the world reaches this service, without a trailing slash. */
  baseUrl: () => string;
  cipher: KeyCipher;
  /** The receiver of webhooks, for deliveries that a person sends. */
  receive: Receive;
  /** Loaded by the first who asks. */
  identity: () => Promise<Identity>;
  /** Aborted when the service begins to stop: subscriptions end. */
  stopping: AbortSignal;
}

export interface TrpcContext {
  deps: TrpcDeps;
  /** The principal, or the reason why there is none. */
  caller: Principal | AppError;
  client: Client;
}

const t = initTRPC.context<TrpcContext>().create({
  isDev: false,
  // A stream keeps its principal: after five minutes the browser has to authenticate again.
  sse: {
    maxDurationMs: 5 * 60_000,
    ping: { enabled: true, intervalMs: 15_000 },
    client: { reconnectAfterInactivityMs: 40_000 },
  },
  errorFormatter: ({ shape, error }) => {
    const failure = toProblem(expected(error));
    // Details repeat parts of the request, and a key may be in the wrong field.
    const problem = { ...failure, detail: redactText(failure.detail, []) };
    return {
      ...shape,
      message: problem.detail,
      data: { code: shape.data.code, httpStatus: problem.status, path: shape.data.path, problem },
    };
  },
});

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

/** The one access check, by the table of procedures. */
export const procedure = t.procedure.use(async ({ ctx, next, path, type, getRawInput }) => {
  const { caller, deps, client } = ctx;
  if (caller instanceof AppError) throw toTrpcError(caller);
  checkAccess(caller, path);
  const auditContext = auditContextOf(caller, client.address);
  const free = lists.has(path) ? takeSlot(deps, caller) : () => {};
  const result = await next({ ctx: { ...deps, principal: caller, auditContext } }).finally(free);
  if (result.ok) {
    if (type === "mutation")
      await noteCall(deps, { path, input: await getRawInput(), answer: result.data, auditContext });
    return result;
  }
  const failure = expected(result.error);
  if (failure.code === "internal")
    deps.logger.error("procedure failed", { requestId: client.requestId, procedure: path, error: result.error });
  throw toTrpcError(failure);
});

/** Procedures that look through the store. */
const lists = new Set([
  "runs.list",
  "runs.count",
  "runs.usage",
  "runs.act",
  "deliveries.list",
  "deliveries.histogram",
  "search",
]);

function takeSlot(deps: TrpcDeps, caller: Principal): () => void {
  try {
    return deps.takeSlot("list", caller);
  } catch (error) {
    throw error instanceof AppError ? toTrpcError(error) : error;
  }
}

function checkAccess(caller: Principal, path: string): void {
  const needed = scopeOfProcedure(path);
  try {
    if (needed === null) throw new AppError("forbidden", "This procedure has no access rule.");
    requireAccess(caller, needed);
  } catch (error) {
    throw error instanceof AppError ? toTrpcError(error) : error;
  }
}

/** The expected failure behind a tRPC error. Other errors have no details: they are in the log. */
function expected(error: TRPCError): AppError {
  if (error.cause instanceof AppError) return error.cause;
  if (error.code === "BAD_REQUEST" || error.code === "PARSE_ERROR") return invalidInput(error);
  if (error.code === "NOT_FOUND") return new AppError("not_found", "Unknown procedure.", { cause: error });
  if (error.code === "METHOD_NOT_SUPPORTED")
    return new AppError("method_not_allowed", "This procedure does not accept this method.", { cause: error });
  return new AppError("internal", "The log of the service has the details.", { cause: error });
}

function invalidInput(error: TRPCError): AppError {
  const issues = error.cause instanceof z.core.$ZodError ? error.cause.issues : [];
  const errors = issues.map((issue): ProblemError => ({
    pointer: toPointer(issue.path),
    code: issue.code,
    message: issue.message,
  }));
  const [first] = errors;
  const where = first?.pointer ? `${first.pointer.slice(1)}: ` : "";
  return new AppError("invalid_request", first ? `${where}${first.message}` : "The request is invalid.", {
    errors,
    cause: error,
  });
}

const trpcCodes: Record<number, TRPCError["code"]> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  503: "SERVICE_UNAVAILABLE",
};

function toTrpcError(failure: AppError): TRPCError {
  return new TRPCError({
    code: trpcCodes[errorCodes[failure.code].status] ?? "INTERNAL_SERVER_ERROR",
    message: failure.message,
    cause: failure,
  });
}

/**
 * Writes the audit entry of a call that changed something. If that fails, the change stays, and the log reports the
 * failure.
 */
async function noteCall(
  deps: { store: Pick<AuditStore, "recordAudit">; clock: Clock; logger: Logger },
  call: { path: string; input: unknown; answer: unknown; auditContext: AuditContext },
): Promise<void> {
  const { input, answer } = call;
  const action = actionOfProcedure(call.path, textOf(input, "action"));
  if (action === null) return;
  const entry = auditOf(call.auditContext, {
    action,
    subject: subjectOf(input),
    detail: {
      ...pick(input, ["kind", "ids", "name", "reason"]),
      ...pick(answer, ["runId", "runs", "deliveryId", "status", "done"]),
    },
    now: deps.clock.now(),
  });
  await deps.store
    .recordAudit(entry)
    .catch((error: unknown) => deps.logger.error("could not write to the audit log", { ...entry, error }));
}

/** What inputs call the thing that they are about. Never a body. */
function subjectOf(input: unknown): string | null {
  return (
    textOf(input, "id") ??
    textOf(input, "endpoint") ??
    textOf(input, "slug") ??
    textOf(input, "trigger") ??
    textOf(Reflect.get(Object(input), "subject"), "slug")
  );
}

function textOf(value: unknown, name: string): string | null {
  const found: unknown = Reflect.get(Object(value), name);
  return typeof found === "string" ? found : null;
}

/** Names, ids and counts; of runs their ids. */
function pick(value: unknown, names: readonly string[]): { [key: string]: Json } {
  const found: { [key: string]: Json } = {};
  for (const name of names) {
    const one: unknown = Reflect.get(Object(value), name);
    if (typeof one === "string" || typeof one === "number") found[name] = one;
    if (Array.isArray(one))
      found[name] = one
        .slice(0, 100)
        .map((item: unknown) => (typeof item === "string" ? item : (textOf(item, "runId") ?? textOf(item, "id"))));
  }
  return found;
}
