import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Stripe } from "stripe";
import { afterEach, expect, it, vi } from "vitest";
import { buildProject } from "../cli/build/build-project.ts";
import { renderDiagnostics } from "../cli/build/diagnostics/diagnostic.ts";
import { makeProject } from "../cli/build/testing/make-project.ts";
import { serve } from "../server/http/testing/serve.ts";
import { createProjectReader } from "../server/project/project-reader.ts";
import chargeDisputed from "./stripe-orders/triggers/charge-disputed";
import orderPaid from "./stripe-orders/triggers/order-paid";
import { execute } from "./testing/execute.ts";

const example = join(import.meta.dirname, "stripe-orders");
const secret = "whsec_of_the_example";
const stripe = new Stripe("sk_test");

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The example as it is built, behind the real receiver. */
async function open() {
  vi.stubEnv("STRIPE_SECRET", secret);
  const projectDir = makeProject({}, "stripe-orders");
  cpSync(example, projectDir, { recursive: true });
  const built = await buildProject({ projectDir });
  expect(
    built.ok
      ? renderDiagnostics(built.warnings, { color: false })
      : renderDiagnostics(built.diagnostics, { color: false }),
  ).toBe("");
  const { triggers } = (await createProjectReader(join(projectDir, ".signalbox"))).current();
  const served = await serve({ triggers });
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${served.url}/triggers/stripe`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
  const send = (file: string, by = secret) => {
    const body = readFileSync(join(example, "requests", file), "utf8");
    return post(body, { "stripe-signature": stripe.webhooks.generateTestHeaderString({ payload: body, secret: by }) });
  };
  return { send, post };
}

it("builds, and accepts requests that Stripe's own library signs: each starts its run once", async () => {
  const { send } = await open();
  expect(readdirSync(join(example, "requests")).toSorted()).toEqual(["charge-disputed.json", "order-paid.json"]);
  for (const [file, trigger] of [
    ["order-paid.json", "order-paid"],
    ["charge-disputed.json", "charge-disputed"],
  ] as const) {
    const [first, again] = [await send(file), await send(file)];
    expect([first.status, await first.json()]).toEqual([
      202,
      expect.objectContaining({ runs: [expect.objectContaining({ trigger })] }),
    ]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  }
});

it("rejects a request that is signed with another secret, or changed afterwards", async () => {
  const { send, post } = await open();
  expect((await send("order-paid.json", "whsec_another")).status).toBe(401);
  const body = readFileSync(join(example, "requests", "order-paid.json"), "utf8");
  const signature = stripe.webhooks.generateTestHeaderString({ payload: body, secret });
  expect((await post(body.replace("4900", "1"), { "stripe-signature": signature })).status).toBe(401);
});

it("skips a session that is not paid yet", async () => {
  const { post } = await open();
  const body = readFileSync(join(example, "requests", "order-paid.json"), "utf8").replace('"paid"', '"unpaid"');
  const answer = await post(body, {
    "stripe-signature": stripe.webhooks.generateTestHeaderString({ payload: body, secret }),
  });
  expect([answer.status, await answer.json()]).toEqual([200, { ok: true, skipped: true }]);
});

it("its workflows write to the outbox what a real one would send", async () => {
  const projectDir = makeProject();
  vi.spyOn(process, "cwd").mockReturnValue(projectDir);
  await execute(orderPaid, read(join(example, "requests", "order-paid.json")));
  await execute(chargeDisputed, read(join(example, "requests", "charge-disputed.json")));
  const outbox = (file: string) => read(join(projectDir, "outbox", file));
  expect(outbox("shipment-cs_test_a1.json")).toEqual({ id: "run_1:ship", session: "cs_test_a1" });
  expect(outbox("mail-cs_test_a1.json")).toEqual({
    to: "ada@example.com",
    subject: "Your order of 49.00 EUR is on its way",
    shipment: "run_1:ship",
  });
  expect(outbox("dispute-dp_1.json")).toEqual({ dispute: "dp_1", amount: 4900, reason: "product not received" });
});

function read(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
