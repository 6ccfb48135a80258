import audit from "../workflows/audit";
import orderShipped from "./order-shipped";

export default orderShipped.attach({ workflow: audit });
