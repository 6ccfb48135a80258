/** Whether a header carries a credential or a signature. The project's triggers and transforms never receive it. */
export function isSecretHeader(name: string): boolean {
  return secretWords.test(name) || (keyName.test(name) && !publicKeys.test(name));
}

/** Whether a parameter carries a credential or a signature: `api_key`, `clientSecret`, `auth[token]`. */
export function isSecretParameter(name: string): boolean {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[[\].]/)
    .some(isSecretHeader);
}

/** Words in the names of headers that carry credentials or signatures. */
const secretWords = new RegExp(
  `(?:^|[-_])(?:${[
    "auth",
    "authorization",
    "authentication",
    "(?:api|access|auth|private|secret|shared|signing|webhook)[-_]?key",
    "bearer",
    "cookie2?",
    "credentials?",
    "hmac\\w*",
    "jwt",
    "pass(?:word|wd|phrase)?",
    "secret",
    "session",
    "sig(?:n|nature|natures)?",
    "\\w*signature",
    "\\w*token",
  ].join("|")})(?:$|[-_])`,
);

/** Names that end in `key`, but of keys that identify something and grant nothing. */
const publicKeys =
  /(?:^|[-_])(?:cache|deduplication|event|group|idempotency|message|object|ordering|partition|record|routing|surrogate)[-_]?key$/;
const keyName = /(?:^|[-_])key$/;
