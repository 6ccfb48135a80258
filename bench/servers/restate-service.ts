import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * A service for Restate with one handler that returns at once: node restate-service.ts <folder of its SDK> <port>.
 * Responds with the number of executions.
 */
const [folder = ".", port = "0"] = process.argv.slice(2);
type Sdk = {
  service(definition: unknown): unknown;
  serve(options: { services: unknown[]; port: number }): Promise<number>;
};
const sdk = createRequire(join(folder, "package.json"))("@restatedev/restate-sdk") as Sdk;
let executed = 0;

const bench = sdk.service({
  name: "bench",
  handlers: {
    run: async () => {
      executed += 1;
      return { ok: true };
    },
  },
});
await sdk.serve({ services: [bench], port: Number(port) });
process.on("message", () => process.send?.(executed));
process.on("disconnect", () => process.exit());
