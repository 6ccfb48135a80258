export { default as ledger } from "../workflows/ledger";
