import { createHub, portOf } from "./live-hub.ts";
import { streamsOf } from "./open-stream.ts";

/** A SharedWorker: the tabs of a browser share its hub. */
const hub = createHub(streamsOf(location.origin));

addEventListener("connect", (event) => {
  if (event instanceof MessageEvent) for (const port of event.ports) hub.attach(portOf(port));
});
