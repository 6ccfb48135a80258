import { expect, it } from "vitest";
import { openTestService } from "../../http/rest/testing/test-service.ts";
import { changePassword } from "./passwords.ts";
import { createInvitation, joinByInvitation } from "./invitations.ts";
import { machineContext } from "../access/audit-context.ts";

const password = "correct horse battery";

async function open() {
  const { deps, store, state } = await openTestService({ mode: "deployed" });
  const { url } = await createInvitation(deps, { kind: "invitation", role: "viewer", note: "" }, machineContext);
  await joinByInvitation(
    { ...deps, identity: await deps.identity() },
    { token: url.split("/").at(-1) ?? "", name: "Ada", email: "ada@example.com", password },
    null,
  );
  const [person] = await store.listPeople(state.now);
  const change = (current: string, next = "another horse battery") =>
    changePassword(deps, { personId: person?.id ?? "", sessionId: "ses_1", current, next }, machineContext);
  const isPassword = async (text: string) =>
    (await deps.identity()).isPassword((await store.findPasswordHash(person?.id ?? "")) ?? "", text);
  return { state, store, change, isPassword };
}

it("a person who knows the current password can change it, with an entry in the audit log", async () => {
  const { change, isPassword, store } = await open();
  await expect(change("a guess")).rejects.toMatchObject({ code: "invalid_input", errors: [{ pointer: "/current" }] });
  expect(await isPassword(password)).toBe(true);
  await change(password);
  expect([await isPassword(password), await isPassword("another horse battery")]).toEqual([false, true]);
  expect((await store.listAudit({ action: "person.password-changed" }, { limit: 10, cursor: null })).data).toHaveLength(
    1,
  );
});

it("guessing is blocked after five attempts, for one minute", async () => {
  const { change, state } = await open();
  for (let at = 0; at < 5; at++) await expect(change("a guess")).rejects.toMatchObject({ code: "invalid_input" });
  await expect(change(password)).rejects.toMatchObject({ code: "rate_limited" });
  state.now += 60_000;
  await change(password);
});
