import { peek } from "../components/peek.ts";
export const page = peek;
