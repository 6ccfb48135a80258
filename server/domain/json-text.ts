import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import { parseJsonBody } from "./json-body.ts";

/**
 * The JSON of a string that a person wrote, parsed exactly as the receiver parses a body. Throws AppError
 * `invalid_json` with line and column, or `body_too_large`.
 */
export function parseJsonText(text: string, maxBytes: number): Json {
  const bytes = Buffer.from(text);
  if (bytes.length > maxBytes)
    throw new AppError(
      "body_too_large",
      `The JSON has ${bytes.length} bytes; this service takes ${maxBytes} (maxBodyBytes in signalbox.config.ts).`,
    );
  return parseJsonBody(bytes);
}
