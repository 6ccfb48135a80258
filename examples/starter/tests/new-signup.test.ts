import { after, test } from "node:test";
import { assertCompletes, assertFires, testProject } from "signalbox/testing";

const app = await testProject();
after(() => app.close());

test("a signup gets a mail", async () => {
  const delivery = await app.deliver("signup", { name: "Ada", email: "ada@example.com" });
  assertFires(delivery, "new-signup");
  const run = await app.settle(delivery, { mockStep: { send: { messageId: "m-1" } } });
  assertCompletes(run);
});
