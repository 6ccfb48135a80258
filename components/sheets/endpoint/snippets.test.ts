import { expect, it } from "vitest";
import { curlOf, fetchOf, settingsOf, tokenUrl, urlWithCredentials } from "./snippets.ts";

const request = {
  url: "https://hooks.example.com/triggers/billing/eu",
  key: "sbk_abc",
  headers: {},
  query: "",
  example: { name: "O'Brien $HOME `id` \\ \u2028 é", n: 1 },
};

it("the curl snippet contains the key if the endpoint needs one", () => {
  expect(curlOf({ ...request, example: {} })).toBe(
    `curl -i ${request.url} \\\n  -H 'Authorization: Bearer sbk_abc' \\\n  -H 'Content-Type: application/json' \\\n  --data-raw '{}'`,
  );
  expect(curlOf({ ...request, key: null })).not.toContain("Authorization");
});

it("the fetch snippet is a program that sends exactly the example", async () => {
  const sent: unknown[] = [];
  const run = new Function("fetch", `return (async () => { ${fetchOf(request)} })()`) as (
    fetch: (...call: unknown[]) => Promise<void>,
  ) => Promise<void>;
  await run(async (...call) => void sent.push(...call));
  expect(sent).toEqual([
    request.url,
    {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sbk_abc" },
      body: JSON.stringify(request.example),
    },
  ]);
});

it("the snippets have the headers and the query that the trigger requires", () => {
  const required = { ...request, key: null, headers: { "x-event": "paid" }, query: "topic=refunds", example: {} };
  expect(curlOf(required)).toContain(`curl -i '${request.url}?topic=refunds' \\\n  -H 'x-event: paid'`);
  expect(fetchOf(required)).toContain(`fetch("${request.url}?topic=refunds", {`);
  expect(fetchOf(required)).toContain('"x-event": "paid"');
  expect(tokenUrl({ ...required, key: "sbk_abc" })).toBe(`${request.url}?token=sbk_abc&topic=refunds`);
});

it("the snippets for an endpoint that accepts only GET have the body as the query", () => {
  const formats = [{ type: "form", field: null, bigints: "number" }] as const;
  const get = { ...request, key: null, formats, methods: ["GET"] as ["GET"], example: { id: "7" } };
  expect(curlOf(get)).toBe(`curl -i '${request.url}?id=7'`);
  expect(fetchOf(get)).toBe(`await fetch("${request.url}?id=7");`);
  expect(fetchOf({ ...get, key: "sbk_abc" })).toBe(
    `await fetch("${request.url}?id=7", {\n  headers: { authorization: "Bearer sbk_abc" },\n});`,
  );
});

it("the URL with credentials has the key as the password of the user hook", () => {
  expect(urlWithCredentials(request.url, "sbk_abc")).toBe("https://hook:sbk_abc@hooks.example.com/triggers/billing/eu");
});

it("senders that accept only a URL get the key in the URL", () => {
  expect(tokenUrl(request)).toBe("https://hooks.example.com/triggers/billing/eu?token=sbk_abc");
  for (const kind of ["github", "stripe"] as const)
    expect(settingsOf(kind, { ...request, verify: null }).fields[0]?.value).toBe(tokenUrl(request));
});

const secretOf = (kind: "github" | "stripe", verify: string | null) =>
  settingsOf(kind, { ...request, verify }).fields.find(({ name }) => /secret/i.test(name))?.value;

it("if the endpoint verifies signatures, the settings name the secret", () => {
  expect([secretOf("github", null), secretOf("github", "github")]).toEqual([
    "leave empty: the key is in the URL",
    "the secret that your project passes to verify",
  ]);
  expect([secretOf("stripe", null), secretOf("stripe", "stripe")]).toEqual([
    undefined,
    "pass it to verify in your project",
  ]);
});
