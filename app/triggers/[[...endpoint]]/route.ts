import { receiveWebhook } from "../../server.ts";

/**
 * Signalbox's server receives webhooks before Next. This handler receives them if Next serves the app alone. Every
 * method goes to the pipeline, which rejects all but POST.
 */
export {
  receiveWebhook as DELETE,
  receiveWebhook as GET,
  receiveWebhook as HEAD,
  receiveWebhook as OPTIONS,
  receiveWebhook as PATCH,
  receiveWebhook as POST,
  receiveWebhook as PUT,
};
