import type { z } from "zod";
import type { EndpointSettings } from "../../../sdk/endpoint-settings.ts";
import type { AgentSettings, WorkflowSettings } from "../../../sdk/target-settings.ts";
import { type Equal, expectTrue } from "../../../sdk/testing/exact-type.ts";
import type { agentOptionsSchema, endpointOptionsSchema, workflowOptionsSchema } from "./options.ts";

/** The options as a definition has them: only a manifest has `null`, for an absent one. */
type Written<Options> = { [Name in keyof Options]-?: Present<NonNullable<Options[Name]>> };
type Present<Value> = Value extends object ? { [Name in keyof Value]-?: NonNullable<Value[Name]> } : Value;

// The docstrings of the options are on these interfaces. Their names and types are those of the schemas.
expectTrue<Equal<Written<WorkflowSettings>, Written<z.input<typeof workflowOptionsSchema>>>>();
expectTrue<Equal<Written<AgentSettings>, Written<z.input<typeof agentOptionsSchema>>>>();
expectTrue<
  Equal<
    Written<Pick<EndpointSettings, keyof z.input<typeof endpointOptionsSchema>>>,
    Written<z.input<typeof endpointOptionsSchema>>
  >
>();
