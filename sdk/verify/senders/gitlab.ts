import { checkNames } from "../../check-shape.ts";
import { headerBytes, readTokens, type Secret } from "../secrets.ts";
import { createVerification, type Verification } from "../verification.ts";

/**
 * Verifies GitLab webhooks with a secret token: the header `x-gitlab-token` contains the token itself, and nothing is
 * signed. The token is never stored or logged. If your GitLab has signing tokens, use `standardWebhooks` instead: they
 * protect the body and the time. Retries are recognised by the header `idempotency-key`. Throws a TypeError if `secret`
 * is not a string or a list of strings. https://docs.gitlab.com/user/project/integrations/webhooks/
 *
 * @example
 *   import { gitlab } from "signalbox/verify";
 *
 *   verify: gitlab({ secret: process.env.GITLAB_TOKEN });
 */
export function gitlab(options: { secret: Secret }): Verification {
  const tokens = readTokens(options, "gitlab");
  checkNames(options, "gitlab", ["secret"]);
  return createVerification(
    {
      name: "gitlab",
      bodies: ["json"],
      signatureHeader: () => "x-gitlab-token",
      form: "the secret token",
      proof: "token",
      readSignatures: (header) => [header === "" ? null : headerBytes(header)],
      signed: () => [],
      signedHeaders: null,
    },
    tokens,
  );
}
