import { rows } from "../store/rows.ts";
export const sibling = rows;
