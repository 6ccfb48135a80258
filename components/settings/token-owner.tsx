import type { Key } from "../../server/contract/key.ts";
import { type Person, scopeOfRole } from "../../server/contract/person.ts";
import { holdsScope } from "../../server/contract/scope.ts";

interface Props {
  token: Key;
  people: readonly Person[];
}

/** The owner of a token. The token is revoked when the owner is removed. */
export function TokenOwner({ token, people }: Props) {
  const owner = people.find(({ id }) => id === token.ownerId);
  return owner && <span className="block text-s text-ink-3">of {owner.name}</span>;
}

/** The scope of a token, limited by its owner's role. */
export function TokenScope({ token, people }: Props) {
  const owner = people.find(({ id }) => id === token.ownerId);
  const held = owner && scopeOfRole[owner.role];
  if (!held || token.scope === null || holdsScope(held, token.scope)) return token.scope;
  return (
    <>
      {held}{" "}
      <span className="block text-s text-ink-3">
        created with {token.scope}, limited by the role of {owner.name} ({owner.role})
      </span>
    </>
  );
}
