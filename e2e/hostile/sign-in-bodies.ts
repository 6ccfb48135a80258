/** Bodies of the routes of sign-in that read JSON, by path. `{n}` is the number of the request. */
export const signInBodies: Readonly<Record<string, string>> = {
  "/api/auth/sign-in": '{"email":"eve{n}@example.com","password":"a guess of many characters"}',
  "/api/auth/join":
    '{"token":"guess{n}","name":"Eve","email":"eve{n}@example.com","password":"a guess of many characters"}',
  "/api/auth/reset": '{"token":"guess{n}","password":"a guess of many characters"}',
  "/api/auth/oidc": '{"next":"/"}',
};
