import * as fc from "fast-check";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Store } from "../../../ports/store.ts";
import { aKey, epoch } from "../../testing/factories.ts";
import { openSqliteStore } from "../open-store.ts";

const hashes = ["h0", "h1", "h2"];
const slugs = ["a", "b"];

/** 0: the connection that reads. 1: another connection to the same file. */
const by = fc.constantFrom(0, 1);
const change = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), by, hash: fc.constantFrom(...hashes) }),
  fc.record({ kind: fc.constant("revoke" as const), by, hash: fc.constantFrom(...hashes) }),
  fc.record({ kind: fc.constant("switch" as const), by, slug: fc.constantFrom(...slugs), isOff: fc.boolean() }),
);

test("a change of a key or a switch by any connection is visible to the next read, in any order of changes and reads", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
      const folder = mkdtempSync(join(tmpdir(), "signalbox-read-cache-"));
      const open = () => openSqliteStore({ file: join(folder, "store.db") });
      const stores = [await open(), await open()] as const;
      const [reader] = stores;
      const expected = { keys: new Map<string, boolean>(), off: new Set<string>() };
      try {
        for (const one of changes) {
          await apply(stores[one.by] ?? reader, one, expected);
          const keys = await Promise.all(hashes.map((hash) => reader.findKeyByHash(hash)));
          expect(keys.map((key) => key && key.revokedAt !== null)).toEqual(
            hashes.map((hash) => expected.keys.get(hash) ?? null),
          );
          expect([...(await reader.listDisabledTriggers()).keys()].toSorted()).toEqual([...expected.off].toSorted());
        }
      } finally {
        await Promise.all(stores.map((store) => store.close()));
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: 25 },
  );
});

/** `expected.keys`: whether the key with this hash is revoked. */
async function apply(
  store: Store,
  one: typeof change extends fc.Arbitrary<infer Change> ? Change : never,
  expected: { keys: Map<string, boolean>; off: Set<string> },
): Promise<void> {
  if (one.kind === "switch") {
    await store.switchTrigger({ slug: one.slug, disable: one.isOff ? { at: epoch, reason: null } : null });
    if (one.isOff) expected.off.add(one.slug);
    else expected.off.delete(one.slug);
  } else if (one.kind === "revoke") {
    await store.revokeKey(`key_${one.hash}`, epoch);
    if (expected.keys.has(one.hash)) expected.keys.set(one.hash, true);
  } else if (!expected.keys.has(one.hash)) {
    await store.createKey(aKey({ id: `key_${one.hash}`, hash: one.hash }));
    expected.keys.set(one.hash, false);
  }
}
