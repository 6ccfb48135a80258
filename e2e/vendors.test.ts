import { createHmac } from "node:crypto";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import type { Page } from "playwright";
import { describe, expect } from "vitest";
import { publishedGitlab, publishedGraph, publishedSquare, publishedTwilio } from "../sdk/verify/testing/published.ts";
import { linearSender, publicUrl, senders, textSecret } from "../sdk/verify/testing/senders.ts";
import type { Delivery } from "../server/contract/delivery.ts";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { writeProject } from "./support/project.ts";
import { type Service, withSharedService } from "./support/service.ts";

/** A vendor's request, as it publishes or signs it, and the trigger that receives it. */
interface Vendor {
  name: string;
  /** Its function in `signalbox/verify`. Default: `name`. */
  preset?: string;
  /** The code of `verify`. `SECRET` is the environment variable with the secret. */
  verify: string;
  secret: string;
  /** The code of other options. */
  options?: string;
  request: string;
  contentType: string;
  body: string;
  sign: (body: string) => Promise<Record<string, string>> | Record<string, string>;
  /** A part of the payload. */
  payload: object;
  /** The body of a forged request. Default: one more space. */
  forge?: (body: string) => string;
}

const json = "application/json";
const form = "application/x-www-form-urlencoded";

/** A vendor whose own library, or whose documentation, signs. */
function signedBy(name: string): Pick<Vendor, "name" | "secret" | "sign"> {
  const sender = senders.find((one) => one.name === name);
  if (!sender) throw new Error(`No sender ${name}`);
  const { secret } = sender;
  return { name, secret, sign: (body) => sender.sign({ body: Buffer.from(body), at: Date.now(), secret }) };
}

const [issueOpened] = (examples.find(({ name }) => name === "issues")?.examples ?? []) as unknown[];
const mailgunTime = `${Math.floor(Date.now() / 1000)}`;
const mailgunToken = "a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0";
const mailgunFields = {
  recipient: "support@example.com",
  sender: "ada@example.com",
  subject: "Größe",
  timestamp: mailgunTime,
  token: mailgunToken,
  signature: createHmac("sha256", textSecret)
    .update(mailgunTime + mailgunToken)
    .digest("hex"),
};

const vendors: Vendor[] = [
  {
    // GitHub's default is a form.
    ...signedBy("github"),
    verify: "github({ secret: process.env.SECRET })",
    options: 'headers: z.object({ "x-github-event": z.enum(["issues", "issue_comment"]) }),',
    request: "z.object({ action: z.string(), issue: z.object({ number: z.int(), title: z.string() }) })",
    contentType: form,
    body: new URLSearchParams({ payload: JSON.stringify(issueOpened) }).toString(),
    sign: async (body) => ({ ...(await signedBy("github").sign(body)), "x-github-event": "issues" }),
    payload: { issue: { number: 1 } },
  },
  {
    ...signedBy("stripe"),
    verify: "stripe({ secret: process.env.SECRET })",
    options: 'dedupe: { field: "/id" },',
    request: 'z.object({ id: z.string(), type: z.literal("customer.subscription.created") })',
    contentType: "application/json; charset=utf-8",
    body: '{\n  "id": "evt_1MtHbELkdIwHu7ixl4OzzPMv",\n  "object": "event",\n  "api_version": "2024-06-20",\n  "type": "customer.subscription.created",\n  "data": {\n    "object": {}\n  }\n}',
    payload: { id: "evt_1MtHbELkdIwHu7ixl4OzzPMv" },
  },
  {
    ...signedBy("slack"),
    verify: "slack({ secret: process.env.SECRET })",
    options: 'body: "form", dedupe: { field: "/trigger_id" },',
    request: "z.object({ command: z.string(), text: z.string(), enterprise_name: z.string(), trigger_id: z.string() })",
    contentType: form,
    body: "token=gIkuvaNzQIHg97ATvDxqgjtO&team_id=T0001&team_domain=example&enterprise_id=E0001&enterprise_name=Globular%20Construct%20Inc&channel_id=C2147483705&channel_name=test&user_id=U2147483697&user_name=Steve&command=/weather&text=94070&response_url=https://hooks.slack.com/commands/1234/5678&trigger_id=13345224609.738474920.8088930838d88f008e0&api_app_id=A123456",
    payload: { command: "/weather", enterprise_name: "Globular Construct Inc" },
  },
  {
    ...signedBy("shopify"),
    verify: "shopify({ secret: process.env.SECRET })",
    request: "z.object({ name: z.string(), admin_graphql_api_id: z.string() })",
    contentType: json,
    body: '{"id":820982911946154508,"admin_graphql_api_id":"gid:\\/\\/shopify\\/Order\\/820982911946154508","name":"#9999","line_items":[{"id":866550311766439020,"price":"199.00"}]}',
    payload: { name: "#9999", admin_graphql_api_id: "gid://shopify/Order/820982911946154508" },
  },
  {
    name: "twilio",
    secret: publishedTwilio.secret,
    verify: `twilio({ secret: process.env.SECRET, url: "${publishedTwilio.url}" })`,
    request: "z.object({ From: z.string(), CallStatus: z.string() })",
    contentType: form,
    body: publishedTwilio.body,
    sign: () => ({ "x-twilio-signature": publishedTwilio.signature }),
    payload: { From: "+15306666666", CallStatus: "ringing" },
  },
  {
    name: "square",
    secret: publishedSquare.secret,
    verify: `square({ secret: process.env.SECRET, url: "${publishedSquare.url}" })`,
    request: "z.object({ type: z.string(), event_id: z.string() })",
    contentType: json,
    body: publishedSquare.body,
    sign: () => ({ "x-square-hmacsha256-signature": publishedSquare.signature }),
    payload: { type: "webhooks.test_notification" },
  },
  {
    ...signedBy("hubspot"),
    verify: `hubspot({ secret: process.env.SECRET, url: "${publicUrl}" })`,
    request: "z.array(z.object({ subscriptionType: z.string(), objectId: z.int() }))",
    contentType: json,
    body: '[{"eventId":1,"subscriptionId":12345,"portalId":62515,"occurredAt":1564113600000,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":123,"changeSource":"CRM","changeFlag":"NEW","appId":54321}]',
    payload: [{ subscriptionType: "contact.creation", objectId: 123 }],
  },
  {
    ...signedBy("sendgrid"),
    verify: "sendgrid({ publicKey: process.env.SECRET })",
    request: "z.array(z.object({ email: z.string(), event: z.string() }))",
    contentType: json,
    body: '[{"email":"example@test.com","timestamp":1513299569,"smtp-id":"<14c5d75ce93.dfd.64b469@ismtpd-555>","event":"processed","category":["cat facts"],"sg_event_id":"rbtnWrG1DVDGGGFHFyun0A=="}]\r\n',
    payload: [{ email: "example@test.com", event: "processed" }],
  },
  {
    ...signedBy("zoom"),
    verify: "zoom({ secret: process.env.SECRET })",
    request:
      'z.object({ event: z.literal("meeting.started"), payload: z.object({ object: z.object({ id: z.string() }) }) })',
    contentType: "application/json; charset=utf-8",
    body: '{"event":"meeting.started","payload":{"account_id":"AAAAAABBBB","object":{"duration":0,"start_time":"2021-11-02T20:43:19Z","timezone":"America/Denver","topic":"My Meeting","id":"1234567890","type":4,"uuid":"4444AAAiAAAAAiAiAiiAii==","host_id":"x1yCzABCDEfg23HiJKl4mN"}},"event_ts":1635885799302}',
    payload: { event: "meeting.started" },
  },
  {
    ...signedBy("linkedin"),
    verify: "linkedin({ secret: process.env.SECRET })",
    request: "z.object({ type: z.string(), leadGenFormResponse: z.string() })",
    contentType: json,
    body: '{"type":"LEAD_ACTION","leadGenFormResponse":"urn:li:leadGenFormResponse:f67fc00e-f1a3-4ba8-8ac6-08ee9d50a5b9-4","leadAction":"CREATED","occurredAt":1678912345678}',
    payload: { type: "LEAD_ACTION" },
  },
  {
    ...signedBy("meta"),
    verify: 'meta({ secret: process.env.SECRET, verifyToken: "a verify token of our own" })',
    request:
      'z.object({ object: z.literal("whatsapp_business_account"), entry: z.array(z.object({ id: z.string() })) })',
    contentType: json,
    body: '{"object":"whatsapp_business_account","entry":[{"id":"8856996819413533","changes":[{"value":{"messaging_product":"whatsapp","messages":[{"from":"16505551234","type":"text","text":{"body":"h\\u00e4llo"}}]},"field":"messages"}]}]}',
    payload: { entry: [{ id: "8856996819413533" }] },
  },
  {
    ...signedBy("discord"),
    verify: "discord({ publicKey: process.env.SECRET })",
    request: "z.object({ application_id: z.string(), event: z.object({ type: z.string() }) })",
    contentType: json,
    body: '{"version":1,"application_id":"1234560123453231555","type":1,"event":{"type":"APPLICATION_AUTHORIZED","timestamp":"2024-10-18T14:42:53.064834","data":{"integration_type":1,"scopes":["applications.commands"]}}}',
    payload: { event: { type: "APPLICATION_AUTHORIZED" } },
  },
  {
    name: "linear",
    secret: textSecret,
    verify: "linear({ secret: process.env.SECRET })",
    request: "z.object({ action: z.string(), webhookTimestamp: z.int() })",
    contentType: "application/json; charset=utf-8",
    body: linearSender.bodyAt(Date.now()).toString(),
    sign: (body) => linearSender.sign(Buffer.from(body)),
    payload: { action: "create" },
  },
  {
    // A route sends the message as a multipart form, with its attachments.
    name: "mailgun",
    secret: textSecret,
    verify: 'mailgun({ secret: process.env.SECRET, tolerance: "1h" })',
    request:
      'z.object({ sender: z.string(), subject: z.string(), "attachment-1": z.object({ filename: z.string(), size: z.int(), path: z.string() }) })',
    contentType: 'multipart/form-data; boundary="b81a1c8f"',
    body: `${Object.entries(mailgunFields)
      .map(([name, value]) => `--b81a1c8f\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join(
        "",
      )}--b81a1c8f\r\nContent-Disposition: form-data; name="attachment-1"; filename="note.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b81a1c8f--\r\n`,
    sign: () => ({}),
    payload: { sender: "ada@example.com", subject: "Größe", "attachment-1": { filename: "note.txt", size: 5 } },
    // The signature covers the token and the time only.
    forge: (body) => body.replace(mailgunToken, mailgunToken.replace("a8", "a9")),
  },
  {
    name: "gitlab",
    secret: textSecret,
    verify: "gitlab({ secret: process.env.SECRET })",
    options: 'headers: z.object({ "x-gitlab-event": z.literal("Push Hook") }),',
    request: 'z.object({ object_kind: z.literal("push"), ref: z.string() })',
    contentType: json,
    body: publishedGitlab.body,
    sign: (body) => ({
      "x-gitlab-token": body.endsWith(" ") ? textSecret.toUpperCase() : textSecret,
      ...publishedGitlab.headers,
    }),
    payload: { ref: "refs/heads/master" },
  },
  {
    name: "graph",
    preset: "microsoftGraph",
    secret: publishedGraph.secret,
    verify: "microsoftGraph({ secret: process.env.SECRET })",
    request: "z.object({ value: z.array(z.object({ changeType: z.string(), tenantId: z.string() })) })",
    contentType: json,
    body: publishedGraph.body,
    sign: () => ({}),
    payload: { value: [{ changeType: "created", tenantId: "84bd8158-6d4d-4958-8b9f-9d6445542f95" }] },
    forge: (body) => body.replace(publishedGraph.secret, "SecretClientState"),
  },
];

const variableOf = (name: string) => `${name.toUpperCase()}_SECRET_OF_TEST`;

function projectFiles(): Record<string, string> {
  const keep = `
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({ slug: "keep", input: z.json(), run: () => undefined });`;
  const triggers = vendors.map(({ name, preset = name, verify, options = "", request }) => [
    `triggers/${name}.ts`,
    `import { defineWebhookSource } from "signalbox/trigger";
     import { ${preset} } from "signalbox/verify";
     import { z } from "zod";
     import keep from "../workflows/keep";
     export default defineWebhookSource({ slug: "${name}", endpoint: "${name}", ${options} request: ${request}, verify: ${verify.replace("SECRET", variableOf(name))} }).attach({ workflow: keep });`,
  ]);
  return { "workflows/keep.ts": keep, ...Object.fromEntries(triggers) };
}

const it = withSharedService((onCleanup) => ({
  projectDir: writeProject(projectFiles(), onCleanup),
  command: "dev",
  env: Object.fromEntries(vendors.map(({ name, secret }) => [variableOf(name), secret])),
}));

const getDelivery = (service: Service, id: string) => getJson<Delivery>(`${service.url}/api/v1/deliveries/${id}`);

/** Sends the request of a vendor. Returns the response and the id of the delivery. */
async function send(service: Service, { name, contentType, sign }: Vendor, body: string, signedBody = body) {
  const response = await fetch(`${service.url}/triggers/${name}`, {
    method: "POST",
    headers: { "content-type": contentType, ...(await sign(signedBody)) },
    body,
  });
  return { status: response.status, id: response.headers.get("signalbox-delivery") ?? "", text: await response.text() };
}

/** The request of a vendor. It is an event only once. */
async function acceptedDelivery(service: Service, name: string): Promise<{ id: string; body: string }> {
  const vendor = vendors.find((one) => one.name === name);
  if (!vendor) throw new Error(`No vendor ${name}`);
  const list = `${service.url}/api/v1/deliveries?endpoint=${name}&outcome=accepted&limit=1`;
  const { data } = await getJson<{ data: { id: string }[] }>(list);
  return { id: data[0]?.id ?? (await send(service, vendor, vendor.body)).id, body: vendor.body };
}

describe.each(vendors)("a request of $name", (vendor) => {
  it("is rejected if it is forged, else verified and matched; its run gets the payload, and it is redelivered byte for byte", async ({
    service,
  }) => {
    const { name, body, payload, forge = (text: string) => `${text} ` } = vendor;
    const forged = await send(service, vendor, forge(body), name === "gitlab" ? `${body} ` : body);
    expect([forged.status, forged.text]).toEqual([401, expect.stringContaining("invalid_signature")]);

    const { status, id, text } = await send(service, vendor, body);
    expect([status, text]).toEqual([202, expect.stringContaining(`"trigger":"${name}"`)]);
    const delivery = await getDelivery(service, id);
    expect(Buffer.from(delivery.body ?? "", "base64").toString()).toBe(body);
    const [verdict] = delivery.verdicts;
    expect(verdict).toMatchObject({ trigger: name, outcome: "matched" });
    expect(await waitForRun(service, verdict?.runId ?? "")).toMatchObject({ status: "completed", payload });

    const redelivered = await postJson(`${service.url}/api/v1/deliveries/${id}/redeliver`, undefined);
    const again = (await redelivered.json()) as Delivery;
    expect(again).toMatchObject({ redeliveryOf: id, outcome: "accepted", bodySha256: delivery.bodySha256 });
    expect((await getDelivery(service, again.id)).body).toBe(delivery.body);
    expect(await waitForRun(service, again.verdicts[0]?.runId ?? "")).toMatchObject({ status: "completed", payload });
  });
});

const patient = { timeout: 180_000 };

const bodyTree = (page: Page) => page.getByRole("tree", { name: "Body", exact: true });
/** The tree shows strings as they were sent: some senders escape slashes. */
const bodyText = async (page: Page) => (await bodyTree(page).textContent())?.replaceAll("\\/", "/");

/** The fields of a part of a payload, as the tree of a body has them. */
function shownFields(part: object): string[] {
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null
      ? shownFields(value)
      : [`${JSON.stringify(name)}: ${JSON.stringify(value)}`],
  );
}

describe("the page of a delivery", () => {
  it("shows the request of each vendor as its trigger evaluates it, and the bytes of a form", async ({ service }) => {
    const { page, errors } = await visit(service.url, { viewport: { width: 1440, height: 2000 } });
    for (const { name, contentType, payload } of vendors) {
      const { id, body } = await acceptedDelivery(service, name);
      await page.goto(`${service.url}/deliveries/${id}`);
      await page.getByRole("table", { name: "Trigger verdicts" }).getByRole("row", { name }).waitFor();
      for (const text of shownFields(payload))
        await expect.poll(() => bodyText(page), { ...patient, message: name }).toContain(text);
      if (contentType.startsWith(json)) continue;
      await page.getByRole("radio", { name: "Raw", exact: true }).check();
      await page
        .getByRole("region", { name: "Body, as text" })
        .getByText(body.split("\r\n")[0]?.slice(0, 40) ?? "")
        .first()
        .waitFor();
    }
    expect(errors).toEqual([]);
  });

  it("lists the rounded numbers of an order of Shopify", async ({ service }) => {
    const { id } = await acceptedDelivery(service, "shopify");
    const { page, errors } = await visit(service.url);
    await page.goto(`${service.url}/deliveries/${id}`);
    const panel = page.getByRole("region", { name: "Rounded numbers" });
    await panel.getByText('["/id","/line_items/0/id"]').waitFor();
    await expect.poll(() => bodyTree(page).textContent(), patient).toContain("820982911946154508");
    expect(errors).toEqual([]);
  });

  it("opens a form as a form, which is sent as one", async ({ service }) => {
    const { id } = await acceptedDelivery(service, "slack");
    const { page, errors } = await visit(service.url, { viewport: { width: 1440, height: 1000 } });
    await page.goto(`${service.url}/deliveries/${id}`);
    await page.getByRole("link", { name: "Open as form" }).click();
    const text = page.getByRole("textbox", { name: /^text / });
    await expect.poll(() => text.inputValue(), patient).toBe("94070");
    await text.fill("10115 Berlin");
    await page.getByRole("textbox", { name: /^trigger_id / }).fill("another");
    await page.getByText("fires keep").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.waitForURL("**/runs/run_*");
    const run = await waitForRun(service, new URL(page.url()).pathname.split("/").at(-1) ?? "");
    expect(run.payload).toMatchObject({ command: "/weather", text: "10115 Berlin", trigger_id: "another" });
    const sent = await getDelivery(service, run.deliveryId ?? "");
    expect(sent.headers["content-type"]).toBe(form);
    const fields = new URLSearchParams(Buffer.from(sent.body ?? "", "base64").toString());
    expect([fields.get("text"), fields.get("user_name")]).toEqual(["10115 Berlin", "Steve"]);
    expect(errors).toEqual([]);
  });

  it("opens with the headers of the delivery, which can be changed", async ({ service }) => {
    const { id } = await acceptedDelivery(service, "github");
    const { page, errors } = await visit(service.url, { viewport: { width: 1440, height: 1000 } });
    await page.goto(`${service.url}/deliveries/${id}`);
    await page.getByRole("link", { name: "Open as form" }).click();
    const header = page.getByRole("textbox", { name: "x-github-event" });
    await expect.poll(() => header.inputValue(), patient).toBe("issues");
    await header.fill("push");
    await page.getByText("/x-github-event").first().waitFor();
    await page.getByRole("button", { name: "Start from" }).click();
    await page
      .getByRole("menuitem", { name: /^Delivery/ })
      .first()
      .click();
    await expect.poll(() => header.inputValue(), patient).toBe("issues");
    await header.fill("issue_comment");
    await page.getByText("fires keep").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.waitForURL("**/runs/run_*");
    const run = await waitForRun(service, new URL(page.url()).pathname.split("/").at(-1) ?? "");
    expect(run).toMatchObject({ startedBy: "form", payload: { issue: { number: 1 } } });
    expect((await getDelivery(service, run.deliveryId ?? "")).headers["x-github-event"]).toBe("issue_comment");
    expect(errors).toEqual([]);
  });
});
