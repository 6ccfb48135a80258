export { open } from "../sqlite/open.ts";
