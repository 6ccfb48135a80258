import type { SenderAnswer, VerificationDefinition } from "../definition.ts";
import type { HmacKey, Keys } from "./secrets.ts";
import { fault, jsonAnswer, missingSecret } from "./verification.ts";

/**
 * The answer signs the challenge as the sender signs a body. A text without braces is no event, so no event can be
 * forged.
 */
const challengeForm = /^[\w.~+/=-]{1,256}$/;

/**
 * Answers a GET whose parameter has a challenge with the challenge's HMAC. In a list of secrets, the first one signs
 * it. `answer` makes the JSON of the answer.
 */
export function greetSigned(options: {
  scheme: string;
  parameter: string;
  secrets: Keys<HmacKey>;
  answer: (challenge: string, signature: Uint8Array) => object;
}): VerificationDefinition["greet"] {
  const { scheme, parameter, secrets, answer } = options;
  return ({ method, target }): SenderAnswer | ReturnType<typeof fault> | null => {
    if (method !== "GET" || !target.includes(parameter)) return null;
    const challenge = new URLSearchParams(target.split("?", 2)[1]).get(parameter);
    if (challenge === null) return null;
    const [key] = secrets.keys;
    if (!key) return missingSecret(scheme, secrets.problem ?? { kind: "missing", words: "is not set" });
    return challengeForm.test(challenge)
      ? jsonAnswer(answer(challenge, key.sign([challenge])))
      : fault("malformed", `${parameter} must have 1 to 256 letters, digits or . ~ + / = - _ (${scheme}).`);
  };
}
