import { Validator } from "@cfworker/json-schema";
import { z } from "zod";
import { jsonSchema } from "../../../contract/json.ts";
import { openApiDocument } from "../rest-app.ts";

const content = z.record(z.string(), z.object({ schema: z.record(z.string(), jsonSchema) }));
const document = z
  .object({
    components: z.record(z.string(), jsonSchema),
    paths: z.record(
      z.string(),
      z.record(z.string(), z.object({ responses: z.record(z.string(), z.object({ content: content.optional() })) })),
    ),
  })
  .parse(JSON.parse(JSON.stringify(openApiDocument())));

const paths = Object.entries(document.paths).map(([path, methods]) => ({
  methods,
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

/**
 * Throws if the OpenAPI document does not have this response of this route. Paths and methods that are not in the
 * document are not checked.
 */
export function checkAnswer(p: {
  method: string;
  path: string;
  status: number;
  contentType: string;
  body: string;
}): void {
  const operation = paths.find(({ pattern }) => pattern.test(p.path))?.methods[p.method.toLowerCase()];
  if (!operation) return;
  const where = `${p.method} ${p.path} → ${p.status} ${p.contentType}`;
  const answer = operation.responses[p.status]?.content?.[p.contentType.split(";")[0] ?? ""];
  if (!answer) throw new Error(`${where} is not in the OpenAPI document: ${p.body.slice(0, 500)}`);
  if (!isJson(p.contentType)) return;
  const schema = { ...answer.schema, components: document.components };
  const { valid, errors } = new Validator(JSON.parse(JSON.stringify(schema)), "2020-12", false).validate(
    JSON.parse(p.body),
  );
  if (!valid)
    throw new Error(
      `${where} is not as the OpenAPI document says: ${JSON.stringify(errors)}\n${p.body.slice(0, 1000)}`,
    );
}

/** Whether the type is one JSON document, unlike JSON Lines. */
export function isJson(contentType: string): boolean {
  return /[/+]json(?:;|$)/.test(contentType);
}
