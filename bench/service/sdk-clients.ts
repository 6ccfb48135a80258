// Copied into the measured project, whose workflow imports it.
import { drizzle } from "drizzle-orm/node-postgres";
import { pgTable, text } from "drizzle-orm/pg-core";
import { Octokit } from "octokit";
import { Pool } from "pg";
import { Stripe } from "stripe";

export const stripe = new Stripe("sk_test_none");
export const octokit = new Octokit();
export const orders = pgTable("orders", { id: text().primaryKey() });
export const db = drizzle(new Pool());
