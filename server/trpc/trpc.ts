import { initTRPC } from "@trpc/server";
import { auditContextOf } from "../auth/access/audit-context.ts";
import { type Operation, operations, type ScopedOperationId } from "../auth/access/operations.ts";
import { type Client, type Principal, requireAccess } from "../auth/access/principal.ts";
import type { KeyCipher } from "../auth/keys/service-secret.ts";
import type { TakeSlot } from "../auth/limits/request-slots.ts";
import type { AlertSettings, Mode } from "../config.ts";
import { AppError } from "../contract/app-error.ts";
import type { BodyBudget } from "../domain/requests/request-body.ts";
import { toProblem } from "../domain/problem.ts";
import type { Receive } from "../ingest/receive.ts";
import type { Builds } from "../ports/builds.ts";
import type { Clock } from "../ports/clock.ts";
import type { Identity } from "../ports/identity.ts";
import type { Logger } from "../ports/logger.ts";
import type { InputChecks } from "../ports/input-checks.ts";
import type { Masking } from "../ports/masking.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { Store } from "../ports/store.ts";
import type { TrafficReader } from "../traffic/traffic-reader.ts";
import { recordCall } from "./record-call.ts";
import { toAppError, toTrpcError } from "./trpc-errors.ts";

/** The dependencies of the procedures. */
export interface TrpcDeps {
  /** Reads no sensitive values. */
  store: Store;
  /** Reads the recorded values: see `Masking`. */
  originals: Store;
  masking: Pick<Masking, "readMasks" | "restore">;
  /** Notifies about every change that a page may show: writes to the store, and a reload of the project. */
  news: Pick<Store, "watch">;
  /** Traffic of endpoints. Shared, so that buckets of the past are read only once. */
  traffic: TrafficReader;
  project: ProjectReader;
  builds: Builds;
  inputs: InputChecks;
  signals: Signals;
  clock: Clock;
  logger: Logger;
  mode: Mode;
  /** Display name of the project. */
  name: string;
  /** The maximum body of a webhook. It also limits JSON that a person sends as a string. */
  maxBodyBytes: number;
  /** Limits the concurrent requests of one key or person. */
  takeSlot: TakeSlot;
  /** The memory for the bodies of all requests in progress. */
  bodies: BodyBudget;
  /** Public URL of this service, without a trailing slash. */
  baseUrl: () => string;
  /** `null`: there are no alerts. */
  alerts: AlertSettings | null;
  cipher: KeyCipher;
  /** The receiver of webhooks, for deliveries that a person sends. */
  receive: Receive;
  /** Loaded on first use. */
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

const t = initTRPC
  .context<TrpcContext>()
  .meta<{ operation: ScopedOperationId }>()
  .create({
    isDev: false,
    // A stream keeps its principal: after five minutes the browser has to authenticate again.
    sse: {
      maxDurationMs: 5 * 60_000,
      ping: { enabled: true, intervalMs: 15_000 },
      client: { reconnectAfterInactivityMs: 40_000 },
    },
    errorFormatter: ({ shape, error }) => {
      const problem = toProblem(toAppError(error));
      return {
        ...shape,
        message: problem.detail,
        data: { code: shape.data.code, httpStatus: problem.status, path: shape.data.path, problem },
      };
    },
  });

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

/** A procedure of an operation: with its access check, its slot and its audit entry. */
export function procedure(id: ScopedOperationId) {
  const operation: Operation = operations[id];
  return t.procedure.meta({ operation: id }).use(async ({ ctx, next, path, type, getRawInput }) => {
    const { caller, deps, client } = ctx;
    const { principal, free } = admit(deps, caller, operation);
    const auditContext = auditContextOf(principal, client.address);
    const result = await next({ ctx: { ...deps, principal, auditContext } }).finally(free);
    if (result.ok) {
      if (type === "mutation")
        await recordCall(deps, { operation, auditContext, input: await getRawInput(), output: result.data });
      return result;
    }
    const failure = toAppError(result.error);
    if (failure.code === "internal")
      deps.logger.error("procedure failed", { requestId: client.requestId, procedure: path, error: result.error });
    throw toTrpcError(failure);
  });
}

/** `free` frees the slot of the call. Throws TRPCError if the caller may not call the operation, or has no slot left. */
function admit(
  deps: TrpcDeps,
  caller: Principal | AppError,
  { access, slot }: Operation,
): { principal: Principal; free: () => void } {
  try {
    if (caller instanceof AppError) throw caller;
    requireAccess(caller, access);
    return { principal: caller, free: slot === undefined ? () => {} : deps.takeSlot(slot, caller) };
  } catch (error) {
    throw error instanceof AppError ? toTrpcError(error) : error;
  }
}
