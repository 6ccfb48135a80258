import { type PostLoad, postLoad } from "./post-load.ts";

/** A process of its own for the client, so that it has a core to itself and stays warm from turn to turn. */
process.on("message", (load: PostLoad) => {
  postLoad(load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on("disconnect", () => process.exit());
