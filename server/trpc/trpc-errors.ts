import { TRPCError } from "@trpc/server";
import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import { errorCodes } from "../contract/error-codes.ts";
import { internalError, schemaFailure } from "../domain/problem.ts";

/** The expected failure behind a tRPC error. Other errors have no details: they are in the log. */
export function toAppError(error: TRPCError): AppError {
  if (error.cause instanceof AppError) return error.cause;
  if (error.code === "BAD_REQUEST" || error.code === "PARSE_ERROR") {
    const issues = error.cause instanceof z.core.$ZodError ? error.cause.issues : [];
    return schemaFailure(issues, { code: "invalid_request", fallback: "The request is invalid.", cause: error });
  }
  if (error.code === "NOT_FOUND") return new AppError("not_found", "Unknown procedure.", { cause: error });
  if (error.code === "METHOD_NOT_SUPPORTED")
    return new AppError("method_not_allowed", "This procedure does not accept this method.", { cause: error });
  if (error.code === "UNSUPPORTED_MEDIA_TYPE")
    return new AppError("unsupported_media_type", "Send Content-Type: application/json.", { cause: error });
  return internalError(error);
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

export function toTrpcError(failure: AppError): TRPCError {
  return new TRPCError({
    code: trpcCodes[errorCodes[failure.code].status] ?? "INTERNAL_SERVER_ERROR",
    message: failure.message,
    cause: failure,
  });
}
