import type { VerificationDefinition } from "../../../sdk/definition.ts";
import { stateDirOf } from "../../../server/config.ts";
import type { BodyFormat, Methods } from "../../../server/contract/project/endpoint.ts";
import { queryFormat } from "../../../server/domain/requests/body-format.ts";
import { readMultipartTexts } from "../../../server/domain/requests/multipart.ts";
import { joinQueries } from "../../../server/shared/deliveries/query-text.ts";
import { encodeBody, sentTypes } from "../../../server/shared/schema/encode-body.ts";
import { Failure, usageFailure } from "../../terminal/failure.ts";

/** A webhook as a sender would send it. Headers by lower-case name. */
export interface WebhookRequest {
  method: Methods[number];
  /** Without its question mark. Of a GET, it has the body. */
  query: string;
  headers: Record<string, string[]>;
  body: Uint8Array;
}

/**
 * The request for a body of the command line. A content type that is given decides, and the body is sent byte for byte.
 * Without it, the endpoint's format decides: an object is encoded as the fields of a form, everything else is sent byte
 * for byte. The body of a GET is its query: an object, or the query itself. Throws a Failure for a multipart body that
 * is not an object, since its boundary is unknown, and for a GET body that cannot be a query.
 */
export function createWebhookRequest(options: {
  data: Uint8Array;
  headers: Record<string, string[]>;
  /** The formats that the endpoint accepts. */
  formats: readonly BodyFormat[];
  method: Methods[number];
  /** Without its question mark. */
  query: string;
}): WebhookRequest {
  const { data, formats, method, query } = options;
  const headers: WebhookRequest["headers"] = { "user-agent": ["signalbox-cli"], ...options.headers };
  if (method === "GET") {
    return { method, query: joinQueries(query, encodeQuery(data)), headers, body: new Uint8Array() };
  }
  if (headers["content-type"]) return { method, query, headers, body: data };
  const { contentType, body } = encode(data, formats);
  return { method, query, headers: { "content-type": [contentType], ...headers }, body };
}

function encode(data: Uint8Array, formats: readonly BodyFormat[]): { contentType: string; body: Uint8Array } {
  const text = new TextDecoder().decode(data);
  const isJson = parsesAsJson(text);
  // JSON is meant as JSON, wherever the endpoint accepts it.
  const format =
    formats.find(({ type }) => isJson && type === "json") ?? formats.find(({ type }) => type !== "json") ?? formats[0];
  if (!format || format.type === "json") return { contentType: sentTypes.json, body: data };
  const isForm = format.type === "form" || format.type === "multipart";
  const encoded = isForm && isJson ? encodeBody(format, text) : null;
  if (encoded) return { contentType: encoded.contentType, body: Buffer.from(encoded.body) };
  if (format.type === "multipart")
    throw usageFailure(
      "The endpoint accepts multipart bodies, and --data is not a JSON object.",
      'Write an object with a field for each part, or send complete bytes with their boundary: --header "content-type: multipart/form-data; boundary=…".',
    );
  return { contentType: sentTypes[format.type], body: data };
}

function encodeQuery(data: Uint8Array): string {
  const text = new TextDecoder().decode(data);
  const encoded = encodeBody(queryFormat, text);
  if (typeof encoded?.body === "string") return encoded.body;
  if (!parsesAsJson(text) && /^[\x21\x22\x24-\x7e]*$/.test(text)) return text;
  throw usageFailure(
    "The body of a GET is its query, and --data is neither a JSON object nor a query.",
    `For example: --data '{"id": "7"}' or --data 'id=7&status=failed'`,
  );
}

function parsesAsJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Adds the signature of the endpoint's sender, with the `verify` of the project's build and a secret from the
 * environment. `url`: the public URL of the request, which some senders sign. Throws a Failure.
 */
export async function signRequest(
  request: WebhookRequest,
  { projectDir, endpoint, url, now }: { projectDir: string; endpoint: string; url: string; now: number },
): Promise<WebhookRequest> {
  const verify = await readVerification(projectDir, endpoint);
  const added = verify.sign({
    body: request.body,
    receivedAtMs: now,
    method: request.method,
    url,
    header: (name) => request.headers[name]?.join(", ") ?? null,
    headers: () => Object.entries(request.headers).map(([name, values]) => [name, values.join(", ")] as const),
    multipart: () => readMultipartTexts(request.body, request.headers["content-type"]?.[0] ?? null),
  });
  if (!added)
    throw new Failure(`The request cannot be signed as ${verify.scheme} does.`, {
      code: "cannot_sign",
      fix: "Only the sender has the key, the body itself has the signature, or a header that it covers is missing: add that with --header. `signalbox dev` accepts requests without a signature: leave out --sign.",
    });
  const signature = Object.entries(added).map(([name, value]): [string, string[]] => [name.toLowerCase(), [value]]);
  return { ...request, headers: { ...request.headers, ...Object.fromEntries(signature) } };
}

async function readVerification(projectDir: string, endpoint: string): Promise<VerificationDefinition> {
  const stateDir = stateDirOf(projectDir);
  // Loaded lazily: only --sign needs the code of the project.
  const { readManifest } = await import("../../../server/project/read-manifest.ts");
  const { loadSources } = await import("../../../server/project/project-reader.ts");
  const manifest = await readManifest(stateDir);
  if (!manifest)
    throw new Failure(`--sign needs a build of the project, and ${stateDir} has none.`, {
      code: "not_built",
      fix: "Run `signalbox build` in the project, or set its folder with --project.",
    });
  const sources = await loadSources(stateDir, manifest);
  const [trigger] = sources.byEndpoint.get(endpoint) ?? [];
  if (!trigger)
    throw new Failure(
      `The build in ${stateDir} has no endpoint ${JSON.stringify(endpoint)}, so its signature is unknown.`,
      {
        code: "not_found",
        fix: "Run `signalbox build`, or set the folder of the project with --project.",
      },
    );
  const { verify } = trigger;
  if (!verify)
    throw usageFailure(
      `The endpoint ${JSON.stringify(endpoint)} does not verify signatures, so there is nothing to sign.`,
      "Leave out --sign.",
    );
  if (verify.secretProblem) {
    const entry = manifest.triggers.find(({ attachmentId }) => attachmentId === trigger.attachmentId);
    const { subject = "secret", words } = verify.secretProblem;
    throw new Failure(`${entry?.file ?? endpoint} › verify › ${verify.scheme}: its ${subject} ${words} here.`, {
      code: "missing_secret",
      fix: `Set ${entry?.secretVariable ?? `the variable with the ${subject}`} in the environment of this command, or in .env. It must be the ${subject} of the service.`,
    });
  }
  return verify;
}
