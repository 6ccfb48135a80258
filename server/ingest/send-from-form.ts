import { AppError } from "../contract/app-error.ts";
import { type SentDelivery, sentDeliverySchema } from "../contract/delivery.ts";
import { problemSchema } from "../contract/problem.ts";
import type { BodyFormat } from "../contract/project/endpoint.ts";
import { joinQueries } from "../shared/deliveries/query-text.ts";
import { encodeBody } from "../shared/schema/encode-body.ts";
import type { ProjectReader } from "../ports/project.ts";
import { type GivenHeaders, toWire } from "../domain/deliveries/header-values.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import type { Receive } from "./receive.ts";

const jsonFormat: BodyFormat = { type: "json", bigints: "number" };

/** Values that are no body of an endpoint. */
const encodingHints: Record<BodyFormat["type"], string> = {
  json: "The body is JSON.",
  form: "The body of a form is an object with a value for each field.",
  multipart: "The body of a form is an object with a value for each field.",
  text: "A body of text is a string.",
  bytes: "A body of bytes is a string in base64.",
};

const bodyHeaders = /^(?:content-(?:type|length|encoding)|transfer-encoding)$/i;

const acceptedSchema = sentDeliverySchema.pick({ runs: true, woke: true });

/**
 * Sends a body, written as JSON, with headers and a query to an endpoint as a webhook would, in the first method and
 * format that the endpoint accepts. All triggers on the endpoint evaluate it, or only one of them. The delivery is
 * recorded. Headers that describe the body are those of the body. The body of a GET is added to its query. The caller
 * has checked that the person may start runs; no key is used.
 */
export async function sendFromForm(
  deps: { receive: Receive; store: Pick<DeliveryStore, "getDeliveryHeaders">; project: ProjectReader },
  {
    endpoint,
    text,
    headers = {},
    query = "",
    trigger = null,
  }: {
    endpoint: string;
    text: string;
    headers?: GivenHeaders | undefined;
    /** As in a URL. */
    query?: string | undefined;
    /** The only trigger that evaluates it. Default: every trigger on the endpoint. */
    trigger?: string | null | undefined;
  },
): Promise<SentDelivery> {
  const onEndpoint = deps.project.current().byEndpoint.get(endpoint) ?? [];
  if (trigger !== null && !onEndpoint.some(({ slug }) => slug === trigger))
    throw new AppError(
      "not_found",
      `No trigger ${JSON.stringify(trigger)} listens on ${JSON.stringify(endpoint)} in the deployed project.`,
    );
  const isPost = onEndpoint[0]?.methods?.includes("POST") !== false;
  const [format = jsonFormat] = onEndpoint[0]?.body ?? [];
  const encoded = encodeBody(format, text);
  if (!encoded) throw new AppError("invalid_body", encodingHints[format.type]);
  const body = Buffer.from(encoded.body);
  const path = endpoint.split("/").map(encodeURIComponent).join("/");
  const search = joinQueries(query.replace(/^\?/, ""), isPost ? "" : body.toString());
  const ofBody = isPost ? ["content-type", encoded.contentType, "content-length", String(body.length)] : [];
  const {
    status,
    headers: responseHeaders,
    ...answer
  } = await deps.receive(
    {
      method: isPost ? "POST" : "GET",
      target: `/triggers/${path}${search === "" ? "" : `?${search}`}`,
      headers: [
        ...Object.entries(headers)
          .filter(([name]) => !bodyHeaders.test(name))
          .flatMap(([name, values]) => [values].flat().flatMap((value) => [name, toWire(value)])),
        ...ofBody,
      ],
      readBody: (take) => void (isPost && take(body)),
    },
    "form",
    trigger,
  );
  const id = responseHeaders["signalbox-delivery"] ?? null;
  const json: unknown = JSON.parse(answer.body);
  if (status >= 400)
    return {
      status,
      deliveryId: id !== null && (await deps.store.getDeliveryHeaders(id)) ? id : null,
      runs: [],
      problem: problemSchema.parse(json),
    };
  const isRepeated = responseHeaders["idempotent-replayed"] === "true";
  const { runs = [], woke } = (isRepeated ? undefined : acceptedSchema.safeParse(json).data) ?? {};
  return { status, deliveryId: id, runs, ...(woke && { woke }), problem: null };
}
