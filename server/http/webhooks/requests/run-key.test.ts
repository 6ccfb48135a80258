import { describe, expect, test } from "vitest";
import { z } from "zod";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { serve } from "../../testing/serve.ts";

const request = z.object({ customer: z.string().trim().nullish(), order: z.int().optional() });

async function receiver() {
  const { url, store } = await serve({
    triggers: [
      triggerOf({ slug: "by-customer", endpoint: "shop", request, key: [{ field: "/customer" }] }),
      triggerOf({ slug: "by-order", endpoint: "shop", request, key: [{ header: "x-shop" }, { field: "/order" }] }),
      triggerOf({ slug: "without", endpoint: "shop", request }),
    ],
  });
  return async (body: unknown, headers: Record<string, string> = {}) => {
    const before = store.runs.length;
    const response = await fetch(`${url}/triggers/shop`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(202);
    return Object.fromEntries(store.runs.slice(before).map(({ trigger, key }) => [trigger, key]));
  };
}

describe("a run of a webhook has the key of its trigger", () => {
  test("from the payload as `request` parsed it, and from headers", async () => {
    const post = await receiver();
    expect(await post({ customer: " c_7 ", order: 3 }, { "X-Shop": "berlin" })).toEqual({
      "by-customer": "c_7",
      "by-order": "berlin/3",
      without: null,
    });
  });

  test("which is empty if the webhook has no value for it", async () => {
    const post = await receiver();
    const none = { "by-customer": "", "by-order": "", without: null };
    expect(await post({ customer: null, order: 3 })).toEqual(none);
    expect(await post({}, { "x-shop": "berlin" })).toEqual(none);
    expect(await post({ customer: "  " }, { "x-shop": "" })).toEqual(none);
  });
});
