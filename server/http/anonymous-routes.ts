import { authRoutes } from "./auth/auth-handler.ts";
import { pathPattern } from "./request-path.ts";
import { restRoutes } from "./rest/rest-app.ts";

interface AnonymousRoute {
  method: string;
  path: string;
  pattern: RegExp;
  isPage: boolean;
}

/** Pages that are open to anonymous clients, and their static files. */
const openPages = [
  "/sign-in",
  "/setup/{token}",
  "/invite/{token}",
  "/reset/{token}",
  "/errors/{code}",
  "/_next/static/{file+}",
  "/icon.svg",
];

/**
 * Every route that answers anonymous clients with more than a rejection, besides webhooks. A flood of each is tested in
 * e2e/hostile.
 */
export const anonymousRoutes: readonly AnonymousRoute[] = [
  ...restRoutes
    .filter(({ operation }) => operation.access === "open")
    .map(({ method, path, pattern }) => ({ method, path, pattern, isPage: false })),
  ...authRoutes.map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path, pattern: pathPattern(path), isPage: false };
  }),
  ...openPages.map((path) => ({ method: "GET", path, pattern: pathPattern(path), isPage: true })),
];
