import type { Key } from "../../server/contract/key.ts";
import { type Person, scopeOfRole } from "../../server/contract/person.ts";
import { holdsScope } from "../../server/contract/scope.ts";

interface Props {
  token: Key;
  people: readonly Person[];
}

/** Whose token it is: it ends with them. */
export function TokenOwner({ token, people }: Props) {
  const owner = people.find(({ id }) => id === token.ownerId);
  return owner && <span className="block text-s text-ink-3">of {owner.name}</span>;
}

/** What a token may do, which is never more than its owner may. */
export function TokenScope({ token, people }: Props) {
  const owner = people.find(({ id }) => id === token.ownerId);
  const held = owner && scopeOfRole[owner.role];
  if (!held || token.scope === null || holdsScope(held, token.scope)) return token.scope;
  return (
    <>
      {held}{" "}
      <span className="block text-s text-ink-3">
        made for {token.scope}, but {owner.name} is {owner.role} now
      </span>
    </>
  );
}
