import { hkdfSync } from "node:crypto";
import type { Manifest } from "../contract/project/manifest.ts";
import { createFaker } from "../domain/privacy/fake-value.ts";
import { type Masks, type ReadMasks, readSensitiveRules } from "../domain/privacy/sensitive-rules.ts";
import type { Builds } from "../ports/builds.ts";

/**
 * Reads the sensitive fields of the current build and of all builds that this machine keeps. A field that a newer build
 * no longer has stays masked in the deliveries of the older one. They are read again when another build is current.
 */
export function createMaskReader(p: {
  current: () => Manifest | null | Promise<Manifest | null>;
  builds: Pick<Builds, "list" | "read">;
  /** SIGNALBOX_SECRET: fakes are stable as long as it is the same. */
  secret: string;
}): ReadMasks {
  const faker = createFaker(deriveMaskKey(p.secret));
  let read: { of: string; masks: Promise<Masks | null> } | null = null;

  async function readAll(current: Manifest | null): Promise<Masks | null> {
    const kept = await Promise.all((await p.builds.list()).map(({ id }) => p.builds.read(id)));
    const rules = readSensitiveRules([current, ...kept].filter((manifest) => manifest !== null));
    return rules && { rules, faker };
  }

  return async () => {
    const current = await p.current();
    const of = current ? `${current.version} ${current.builtAt}` : "";
    if (read?.of === of) return read.masks;
    const masks = readAll(current);
    read = { of, masks };
    // Reads must not be answered unmasked because a file could not be read once.
    masks.catch(() => (read = null));
    return masks;
  };
}

/** HKDF-SHA-256 (RFC 5869) of the secret, distinct from its other keys. */
function deriveMaskKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", "signalbox sensitive fields v1", 32));
}
