import { expect, test } from "vitest";
import { createKnownCredentials, credentialsHeader } from "./known-credentials.ts";

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const verdict = (text: string) => ({ headers: { [credentialsHeader]: text } });

test("credentials are known after web found them valid, until it finds them invalid; without a verdict, nothing changes", () => {
  const read = createKnownCredentials();
  expect(read({ headers: { cookie: "theme=dark" } }).kind).toBe("none");
  expect(read(bearer("a")).kind).toBe("unknown");
  read(bearer("a")).learn(verdict("valid"));
  read(bearer("a")).learn({ headers: {} });
  expect([read(bearer("a")).kind, read(bearer("b")).kind]).toEqual(["known", "unknown"]);
  read(bearer("a")).learn(verdict("invalid"));
  expect(read(bearer("a")).kind).toBe("unknown");
});

test("what does not decide is no part of them: cookies beside a key, and other cookies beside that of a session", () => {
  const read = createKnownCredentials();
  read({ headers: { "x-api-key": "a", cookie: "other=1" } }).learn(verdict("valid"));
  expect(read({ headers: { "x-api-key": "a", cookie: "other=2" } }).kind).toBe("known");
  read({ headers: { cookie: "signalbox_person=a; other=1" } }).learn(verdict("valid"));
  expect(read({ headers: { cookie: "other=2; signalbox_person=a" } }).kind).toBe("known");
});

test("those that were not used for longest are forgotten first", () => {
  const read = createKnownCredentials(2);
  for (const token of ["a", "b", "a", "c"]) read(bearer(token)).learn(verdict("valid"));
  expect(["a", "b", "c"].map((token) => read(bearer(token)).kind)).toEqual(["known", "unknown", "known"]);
});
