import { type Access, routeAccess } from "../../auth/access-table.ts";

const patterns = Object.entries(routeAccess).map(([route, access]) => {
  const [method = "", path = ""] = route.split(" ");
  const pattern = path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
  return { method, path, access: access as Access, pattern: new RegExp(`^${pattern}$`) };
});

/** The methods of a path, each with the access that it needs; empty: no such path. HEAD is allowed where GET is. */
export function methodsOn(path: string): Map<string, Access> {
  const matching = patterns.filter(({ pattern }) => pattern.test(path));
  // A path that is written out comes before one that takes any name there.
  const exact = matching.filter((route) => route.path === path);
  const found = exact.length > 0 ? exact : matching;
  return new Map(
    found.flatMap(({ method, access }) =>
      method === "GET"
        ? [
            [method, access],
            ["HEAD", access],
          ]
        : [[method, access]],
    ),
  );
}
