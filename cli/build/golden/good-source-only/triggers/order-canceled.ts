import { orderCanceled } from "../lib/order-canceled";

export default orderCanceled;
