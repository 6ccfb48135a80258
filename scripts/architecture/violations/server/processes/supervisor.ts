export { opened } from "./opened.ts";
