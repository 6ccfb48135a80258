import { expect, it } from "vitest";
import { curlOf, settingsOf, snippetOf, tokenUrl } from "./snippets.ts";

const request = {
  url: "https://hooks.example.com/triggers/billing/eu",
  key: "sbk_abc",
  example: { name: "O'Brien $HOME `id` \\ \u2028 é", n: 1 },
};

it("curl bears the key where one is needed", () => {
  expect(curlOf({ ...request, example: {} })).toBe(
    `curl -i ${request.url} \\\n  -H 'Authorization: Bearer sbk_abc' \\\n  -H 'Content-Type: application/json' \\\n  --data-raw '{}'`,
  );
  expect(curlOf({ ...request, key: null })).not.toContain("Authorization");
});

it("fetch is a program that sends the example as it is", async () => {
  const sent: unknown[] = [];
  const run = new Function("fetch", `return (async () => { ${snippetOf("fetch", request)} })()`) as (
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

it("senders that take only a URL get the key in it", () => {
  expect(tokenUrl(request)).toBe("https://hooks.example.com/triggers/billing/eu?token=sbk_abc");
  for (const kind of ["github", "stripe"] as const)
    expect(settingsOf(kind, { ...request, verify: null }).fields[0]?.value).toBe(tokenUrl(request));
});

const secretOf = (kind: "github" | "stripe", verify: string | null) =>
  settingsOf(kind, { ...request, verify }).fields.find(({ name }) => /secret/i.test(name))?.value;

it("where signatures are checked, the sender's settings say where its secret belongs", () => {
  expect([secretOf("github", null), secretOf("github", "github")]).toEqual([
    "leave it empty: the key is in the URL",
    "the secret that this service reads for verify",
  ]);
  expect([secretOf("stripe", null), secretOf("stripe", "stripe")]).toEqual([
    undefined,
    "goes to where this service reads its secret for verify",
  ]);
});
