import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { github, type Secret } from "../../sdk/verify/index.ts";
import { projectOf, triggerOf } from "../ingest/testing/project.ts";
import { ProjectError } from "./read-manifest.ts";
import { requireSecrets } from "./project-reader.ts";

const good = "a secret of some length";

/** The variables of secrets, and the triggers that they are of. */
const secretsOf = (variables: Record<string, string[]>) =>
  Object.entries(variables).map(([name, triggers]) => ({ name, triggers, isOnlyVerified: true, isExpected: false }));

function projectWith(secrets: Secret[], variables: Record<string, string[]> = {}) {
  const project = projectOf(
    secrets.map((secret, at) =>
      triggerOf({ slug: `push-${at}`, endpoint: "github", request: z.object({}), verify: github({ secret }) }),
    ),
  );
  const triggers = project.triggers.map(({ attachmentId, slug, endpoint, target }) => ({
    attachmentId,
    slug,
    endpoint,
    target,
    file: `triggers/${slug}.ts`,
    module: "",
    hasTransform: false,
    request: {},
    filter: null,
    headers: null,
    query: null,
    readsRequest: false,
    body: [],
    onMismatch: null,
    reply: null,
    challenges: [],
    methods: ["POST" as const],
    verify: "github",
    dedupe: null,
    rateLimit: null,
    prompt: null,
    key: null,
  }));
  const environment = { reads: Object.keys(variables), readsAny: false, secrets: secretsOf(variables) };
  return { ...project, manifest: { ...project.manifest, triggers, environment } };
}

test.each([
  [
    "is not set",
    [undefined],
    "triggers/push-0.ts › verify › github: its secret is not set. Set the variable in the environment or in .env, then restart the server.",
  ],
  [
    "is too short",
    [good, "hunter2"],
    "triggers/push-1.ts › verify › github: its secret has 7 bytes, but needs at least 16. Copy the complete secret from the sender's settings, then restart the server.",
  ],
  [
    "is missing, and others are too short",
    [undefined, "hunter2", "hunter3!"],
    [
      "triggers/push-1.ts › verify › github: its secret has 7 bytes, but needs at least 16. Copy the complete secret from the sender's settings, then restart the server.",
      "triggers/push-2.ts › verify › github: its secret has 8 bytes, but needs at least 16. Copy the complete secret from the sender's settings, then restart the server.",
      "triggers/push-0.ts › verify › github: its secret is not set. Set the variable in the environment or in .env, then restart the server.",
    ].join("\n"),
  ],
  [
    "is another than its neighbour's",
    [good, `${good} too`],
    'triggers/push-0.ts and triggers/push-1.ts share the endpoint "github", but have different secrets here. Use the same secret in both, then restart the server.',
  ],
])("a service does not start when a secret %s", (_, secrets, message) => {
  expect(() => requireSecrets(projectWith(secrets))).toThrow(new ProjectError(message));
});

test("what copying added around a secret is named with its variable, and with what to do", () => {
  const variables = {
    SECRET_OF_A_TEST: ["triggers/push-0.ts"],
    OLD_SECRET_OF_A_TEST: ["triggers/push-0.ts"],
  };
  onTestFinished(() => {
    delete process.env["SECRET_OF_A_TEST"];
    delete process.env["OLD_SECRET_OF_A_TEST"];
  });
  for (const [value, message] of [
    [`"${good}"`, "is in quotes. Remove the quotes in the environment or in .env, then restart the server."],
    [
      `${good}\n`,
      "ends with a line break. Remove the line break in the environment or in .env, then restart the server.",
    ],
  ] as const) {
    Object.assign(process.env, { SECRET_OF_A_TEST: good, OLD_SECRET_OF_A_TEST: value });
    expect(() => requireSecrets(projectWith([[good, value]], variables))).toThrow(
      new ProjectError(`triggers/push-0.ts › verify › github: its secret (OLD_SECRET_OF_A_TEST) ${message}`),
    );
  }
});

test("with its secrets it starts", () => {
  expect(() => requireSecrets(projectWith([good, [good]]))).not.toThrow();
});

test("everything that is missing is named in one message, by the variables that are known", () => {
  const variables = {
    FIRST_SECRET: ["triggers/push-0.ts"],
    SHARED_SECRET: ["triggers/push-1.ts", "triggers/push-2.ts"],
  };
  expect(() => requireSecrets(projectWith([undefined, undefined, undefined], variables))).toThrow(
    new ProjectError(
      "FIRST_SECRET is not set (triggers/push-0.ts); SHARED_SECRET is not set (triggers/push-1.ts, triggers/push-2.ts). Set these variables in the environment or in .env, then restart the server.",
    ),
  );
});
