import type { EncryptionSettings } from "../../../server/config.ts";
import { isUnneeded } from "../../../server/domain/encryption/content-keys.ts";
import { contentKeyId } from "../../../server/domain/encryption/key-ring.ts";
import type { StoreContents } from "../../../server/store/shared/store-contents.ts";
import { bad, type Check, ok, warn } from "./check.ts";

const variable = "SIGNALBOX_ENCRYPTION_KEYS";

/** Checks the keys of `encryption`. None, if the store never used it. */
export function checkEncryption(
  { keys, isOn }: EncryptionSettings,
  { contentKeys, oldestAt }: Pick<StoreContents, "contentKeys" | "oldestAt">,
): Check[] {
  const configured = keys.map(contentKeyId);
  const [current = null] = configured;
  if (isOn && current === null)
    return [
      bad(
        "encryption",
        "encryption is on, but there is no key",
        `Set ${variable}. Create a key with: openssl rand -base64 32`,
      ),
    ];
  const missing = contentKeys.filter((key) => !configured.includes(key.id) && !isUnneeded(key, oldestAt));
  if (missing.length > 0)
    return [
      bad(
        "encryption",
        `content is encrypted with ${missing.map(({ id }) => id).join(", ")}, and the configured keys are ${configured.join(", ") || "none"}`,
        `Add the missing key to ${variable}: the service does not start without it.`,
      ),
    ];
  const unneeded = contentKeys.filter(
    (key) => key.id !== current && configured.includes(key.id) && isUnneeded(key, oldestAt),
  );
  if (unneeded.length > 0)
    return [
      warn(
        "encryption",
        `the content that ${unneeded.map(({ id }) => id).join(", ")} encrypted was removed`,
        `Remove the key from ${variable}.`,
      ),
    ];
  if (isOn) return [ok("encryption", `content is encrypted with ${configured.join(", and also read with ")}`)];
  if (configured.length === 0) return [];
  return contentKeys.length > 0
    ? [ok("encryption", `new content is not encrypted; content is read with ${configured.join(", ")}`)]
    : [
        warn(
          "encryption",
          `${variable} is set, but nothing is encrypted`,
          "Set encryption: true in signalbox.config.ts.",
        ),
      ];
}
