import { shopify } from "signalbox/sources/shopify";
import work from "../workflows/work";

export default shopify
  .on("orders/create", { slug: "order", endpoint: "shopify", pick: ["name"] })
  .attach({ workflow: work, transform: ({ name }) => ({ MessageSid: name, Body: "" }) });
