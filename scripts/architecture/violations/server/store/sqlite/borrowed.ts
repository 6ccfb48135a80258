export { counted } from "../postgres/counted.ts";
