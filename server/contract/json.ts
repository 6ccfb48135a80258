import { z } from "zod";

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Accepts what JSON.parse returns, without walking it: bodies were bounded in depth when they were read. */
export const jsonSchema = z.custom<Json>((value) => value !== undefined && typeof value !== "function");

export type JsonSchemaObject = { [key: string]: Json };
export const jsonSchemaObjectSchema = z.record(z.string(), jsonSchema) as z.ZodType<JsonSchemaObject>;
