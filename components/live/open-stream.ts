import { createTRPCClient, httpSubscriptionLink } from "@trpc/client";
import type { AppRouter } from "../../server/trpc/router.ts";
import type { OpenStream } from "./live-hub.ts";

/** The stream of the server, which reconnects by itself after a network error. */
export function streamsOf(origin: string): OpenStream {
  const client = createTRPCClient<AppRouter>({ links: [httpSubscriptionLink({ url: `${origin}/api/trpc` })] });
  return (feeds, on) => {
    const stream = client.live.subscribe(
      { feeds },
      {
        onData: ({ data }) => on.event(data),
        onConnectionStateChange: ({ state, error }) => {
          if (state === "pending") on.state("live");
          else if (state === "connecting" && error) on.state("lost");
        },
        // The server ends the stream when it stops.
        onComplete: on.end,
        onError: on.end,
      },
    );
    return () => stream.unsubscribe();
  };
}
