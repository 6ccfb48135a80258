CREATE TABLE "signalbox"."delivery" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"endpoint" text COLLATE "C" NOT NULL,
	"received_at" bigint NOT NULL,
	"method" text COLLATE "C" NOT NULL,
	"outcome" text COLLATE "C" NOT NULL,
	"response_status" integer NOT NULL,
	"duration_ms" double precision NOT NULL,
	"body_bytes" bigint NOT NULL,
	"body_sha256" text COLLATE "C",
	"key_id" text COLLATE "C",
	"redelivery_of" text COLLATE "C",
	"headers" text NOT NULL,
	"problem" text,
	"verdicts" text NOT NULL,
	"decided" text COLLATE "C" NOT NULL,
	"body" "bytea",
	"position" bigserial NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."idempotency_key" (
	"endpoint" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"delivery_id" text COLLATE "C" NOT NULL,
	"body_sha256" text COLLATE "C",
	"accepted_at" bigint NOT NULL,
	CONSTRAINT "idempotency_key_endpoint_key_pk" PRIMARY KEY("endpoint","key")
);
--> statement-breakpoint
CREATE TABLE "signalbox"."traffic" (
	"bucket_ms" bigint NOT NULL,
	"endpoint" text COLLATE "C" NOT NULL,
	"attachment_id" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	"outcome" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "traffic_bucket_ms_endpoint_attachment_id_at_outcome_pk" PRIMARY KEY("bucket_ms","endpoint","attachment_id","at","outcome")
);
--> statement-breakpoint
CREATE TABLE "signalbox"."traffic_log" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"counts" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."rate_bucket" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"tokens" double precision NOT NULL,
	"filled_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."store_fact" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"value" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."alert" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	"detail" text NOT NULL,
	"opened_at" bigint NOT NULL,
	"last_at" bigint NOT NULL,
	"resolved_at" bigint,
	"reported_count" bigint
);
--> statement-breakpoint
CREATE TABLE "signalbox"."alert_message" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"alert_id" text COLLATE "C" NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"destination" text COLLATE "C" NOT NULL,
	"alert" text NOT NULL,
	"created_at" bigint NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"due_at" bigint,
	"sent_at" bigint,
	"error" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "signalbox"."alert_watch" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"evaluated_at" bigint NOT NULL,
	"revision" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."audit_entry" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL,
	"action" text COLLATE "C" NOT NULL,
	"actor_kind" text COLLATE "C" NOT NULL,
	"actor_id" text COLLATE "C",
	"actor_name" text COLLATE "C",
	"subject" text COLLATE "C",
	"address" text COLLATE "C",
	"detail" text
);
--> statement-breakpoint
CREATE TABLE "signalbox"."clock_watch" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"seen_at" bigint NOT NULL,
	"trusted_at" bigint,
	"waiting_since" bigint,
	"removed_before" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."content_key" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"since" bigint NOT NULL,
	"retired_at" bigint
);
--> statement-breakpoint
CREATE TABLE "signalbox"."event_contract" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"endpoint" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"revision" bigint NOT NULL,
	"last_seen" bigint NOT NULL,
	"content" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."invitation" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"role" text COLLATE "C" NOT NULL,
	"note" text COLLATE "C" NOT NULL,
	"created_by" text COLLATE "C" NOT NULL,
	"created_by_id" text COLLATE "C",
	"person_id" text COLLATE "C",
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"accepted_at" bigint,
	"revoked_at" bigint
);
--> statement-breakpoint
CREATE TABLE "signalbox"."person" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"email" text COLLATE "C" NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text COLLATE "C",
	"role" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."person_account" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"person_id" text COLLATE "C" NOT NULL,
	"account_id" text COLLATE "C" NOT NULL,
	"provider_id" text COLLATE "C" NOT NULL,
	"access_token" text COLLATE "C",
	"refresh_token" text COLLATE "C",
	"id_token" text COLLATE "C",
	"access_token_expires_at" bigint,
	"refresh_token_expires_at" bigint,
	"scope" text COLLATE "C",
	"password" text COLLATE "C",
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."person_session" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"person_id" text COLLATE "C" NOT NULL,
	"token" text COLLATE "C" NOT NULL,
	"expires_at" bigint NOT NULL,
	"ip_address" text COLLATE "C",
	"user_agent" text COLLATE "C",
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."person_verification" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"identifier" text COLLATE "C" NOT NULL,
	"value" text COLLATE "C" NOT NULL,
	"expires_at" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."preset" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"subject_kind" text COLLATE "C" NOT NULL,
	"subject_slug" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"saved_at" bigint NOT NULL,
	"value" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."removed_person" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"email" text COLLATE "C" NOT NULL,
	"removed_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."run_start" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"body_sha256" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	"runs" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."trigger_switch" (
	"slug" text COLLATE "C" PRIMARY KEY NOT NULL,
	"disabled_at" bigint,
	"reason" text COLLATE "C",
	"revision" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."webhook_key" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"hint" text COLLATE "C" NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"ciphertext" text COLLATE "C",
	"endpoints" text,
	"created_at" bigint NOT NULL,
	"expires_at" bigint,
	"last_used_at" bigint,
	"revoked_at" bigint,
	"scope" text COLLATE "C",
	"replaced_by" text COLLATE "C",
	"owner_id" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "signalbox"."run" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"trigger" text COLLATE "C",
	"attachment_id" text COLLATE "C",
	"target_kind" text COLLATE "C" NOT NULL,
	"target_slug" text COLLATE "C" NOT NULL,
	"target" text COLLATE "C" NOT NULL,
	"started_by" text COLLATE "C" NOT NULL,
	"replay_of" text COLLATE "C",
	"failure_of" text COLLATE "C",
	"child_of" text COLLATE "C",
	"child_step" text COLLATE "C",
	"child_link" text COLLATE "C",
	"depth" integer DEFAULT 0 NOT NULL,
	"is_parent" boolean DEFAULT false NOT NULL,
	"settle_at" bigint,
	"key_id" text COLLATE "C",
	"run_key" text COLLATE "C",
	"version" text COLLATE "C" NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"max_attempts" integer NOT NULL,
	"attempts_before" integer DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"resumed_at" bigint,
	"started_at" bigint,
	"finished_at" bigint,
	"available_at" bigint NOT NULL,
	"cancel_requested_at" bigint,
	"is_resuming" boolean DEFAULT false NOT NULL,
	"is_isolated" boolean DEFAULT false NOT NULL,
	"crashes" integer DEFAULT 0 NOT NULL,
	"key_slot" text COLLATE "C",
	"key_order" bigint,
	"token" text COLLATE "C",
	"worker_id" text COLLATE "C",
	"progress_seq" bigint DEFAULT 0 NOT NULL,
	"tokens" bigint,
	"cost_usd" double precision,
	"error_name" text COLLATE "C",
	"error_message" text COLLATE "C",
	"error_stack" text COLLATE "C",
	"output" text,
	"delivery_id" text COLLATE "C",
	"is_limited" boolean DEFAULT false NOT NULL,
	"lease_until" bigint,
	"payload" text,
	"input" text
);
--> statement-breakpoint
CREATE TABLE "signalbox"."run_event" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"run_id" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"attempt" integer NOT NULL,
	"name" text COLLATE "C",
	"level" text COLLATE "C",
	"message" text COLLATE "C",
	"duration_ms" double precision,
	"until" bigint,
	"error" text,
	"data" text
);
--> statement-breakpoint
CREATE TABLE "signalbox"."run_live" (
	"run_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"token" text COLLATE "C" NOT NULL,
	"step" text COLLATE "C" NOT NULL,
	"attempt" integer NOT NULL,
	"started_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"revision" bigint NOT NULL,
	"said" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."run_step" (
	"run_id" text COLLATE "C" NOT NULL,
	"position" bigserial NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"attempt" integer NOT NULL,
	"started_at" bigint NOT NULL,
	"finished_at" bigint,
	"until" bigint,
	"result" text,
	"sequence" integer,
	CONSTRAINT "run_step_run_id_name_pk" PRIMARY KEY("run_id","name")
);
--> statement-breakpoint
CREATE TABLE "signalbox"."worker" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"pid" integer NOT NULL,
	"host" text COLLATE "C" NOT NULL,
	"version" text COLLATE "C" NOT NULL,
	"started_at" bigint NOT NULL,
	"seen_at" bigint NOT NULL,
	"pool" text COLLATE "C",
	"is_responsive" boolean,
	"free_slots" integer,
	"is_leaving" boolean DEFAULT false NOT NULL,
	"kept_versions" text COLLATE "C" DEFAULT '' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "signalbox"."idempotency_key" ADD CONSTRAINT "idempotency_key_delivery_id_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "signalbox"."delivery"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signalbox"."person_account" ADD CONSTRAINT "person_account_person_id_person_id_fk" FOREIGN KEY ("person_id") REFERENCES "signalbox"."person"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signalbox"."person_session" ADD CONSTRAINT "person_session_person_id_person_id_fk" FOREIGN KEY ("person_id") REFERENCES "signalbox"."person"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signalbox"."run" ADD CONSTRAINT "run_delivery_id_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "signalbox"."delivery"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signalbox"."run_event" ADD CONSTRAINT "run_event_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "signalbox"."run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signalbox"."run_live" ADD CONSTRAINT "run_live_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "signalbox"."run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signalbox"."run_step" ADD CONSTRAINT "run_step_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "signalbox"."run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "delivery_by_time" ON "signalbox"."delivery" USING btree ("received_at","id");--> statement-breakpoint
CREATE INDEX "delivery_by_endpoint" ON "signalbox"."delivery" USING btree ("endpoint","received_at","id","outcome","response_status");--> statement-breakpoint
CREATE INDEX "delivery_by_outcome" ON "signalbox"."delivery" USING btree ("outcome","received_at","id","endpoint","response_status");--> statement-breakpoint
CREATE INDEX "delivery_by_response_status" ON "signalbox"."delivery" USING btree ("response_status","received_at","id","endpoint","outcome");--> statement-breakpoint
CREATE INDEX "delivery_by_redelivery" ON "signalbox"."delivery" USING btree ("redelivery_of","received_at","id") WHERE redelivery_of IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "delivery_by_position" ON "signalbox"."delivery" USING btree ("position");--> statement-breakpoint
CREATE INDEX "idempotency_key_by_delivery" ON "signalbox"."idempotency_key" USING btree ("delivery_id");--> statement-breakpoint
CREATE INDEX "rate_bucket_by_time" ON "signalbox"."rate_bucket" USING btree ("filled_at");--> statement-breakpoint
CREATE UNIQUE INDEX "alert_open" ON "signalbox"."alert" USING btree ("kind","subject") WHERE resolved_at IS NULL;--> statement-breakpoint
CREATE INDEX "alert_by_time" ON "signalbox"."alert" USING btree ("opened_at","id");--> statement-breakpoint
CREATE INDEX "alert_by_end" ON "signalbox"."alert" USING btree ("resolved_at");--> statement-breakpoint
CREATE INDEX "alert_message_by_alert" ON "signalbox"."alert_message" USING btree ("alert_id","created_at");--> statement-breakpoint
CREATE INDEX "alert_message_by_time" ON "signalbox"."alert_message" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "alert_message_due" ON "signalbox"."alert_message" USING btree ("due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_entry_by_time" ON "signalbox"."audit_entry" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_entry_by_action" ON "signalbox"."audit_entry" USING btree ("action","at","id");--> statement-breakpoint
CREATE INDEX "audit_entry_by_actor" ON "signalbox"."audit_entry" USING btree ("actor_id","at","id");--> statement-breakpoint
CREATE INDEX "event_contract_by_endpoint" ON "signalbox"."event_contract" USING btree ("endpoint","kind");--> statement-breakpoint
CREATE INDEX "event_contract_by_age" ON "signalbox"."event_contract" USING btree ("last_seen");--> statement-breakpoint
CREATE UNIQUE INDEX "invitation_by_hash" ON "signalbox"."invitation" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "invitation_open" ON "signalbox"."invitation" USING btree ("expires_at") WHERE accepted_at IS NULL AND revoked_at IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "person_by_email" ON "signalbox"."person" USING btree ("email");--> statement-breakpoint
CREATE INDEX "person_account_by_person" ON "signalbox"."person_account" USING btree ("person_id");--> statement-breakpoint
CREATE UNIQUE INDEX "person_account_by_provider" ON "signalbox"."person_account" USING btree ("provider_id","account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "person_session_by_token" ON "signalbox"."person_session" USING btree ("token");--> statement-breakpoint
CREATE INDEX "person_session_by_person" ON "signalbox"."person_session" USING btree ("person_id","updated_at");--> statement-breakpoint
CREATE INDEX "person_session_by_expiry" ON "signalbox"."person_session" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "person_verification_by_identifier" ON "signalbox"."person_verification" USING btree ("identifier");--> statement-breakpoint
CREATE INDEX "person_verification_by_expiry" ON "signalbox"."person_verification" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "preset_by_name" ON "signalbox"."preset" USING btree ("subject_kind","subject_slug","name");--> statement-breakpoint
CREATE INDEX "removed_person_by_email" ON "signalbox"."removed_person" USING btree ("email");--> statement-breakpoint
CREATE INDEX "run_start_by_time" ON "signalbox"."run_start" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_key_by_hash" ON "signalbox"."webhook_key" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "webhook_key_by_kind" ON "signalbox"."webhook_key" USING btree ("kind","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_key_by_owner" ON "signalbox"."webhook_key" USING btree ("owner_id") WHERE owner_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_by_time" ON "signalbox"."run" USING btree ("created_at","id","version","target_kind");--> statement-breakpoint
CREATE INDEX "run_by_trigger" ON "signalbox"."run" USING btree ("trigger","created_at","id","target_slug","target_kind","version");--> statement-breakpoint
CREATE INDEX "run_by_target" ON "signalbox"."run" USING btree ("target_slug","created_at","id","target_kind","status","started_at","finished_at","trigger","version","failure_of");--> statement-breakpoint
CREATE INDEX "run_by_status" ON "signalbox"."run" USING btree ("status","created_at","id","trigger","target_slug","target_kind","version");--> statement-breakpoint
CREATE INDEX "run_failed" ON "signalbox"."run" USING btree ("created_at","id","trigger","target_slug","target_kind","version") WHERE status IN ('failed', 'timed_out');--> statement-breakpoint
CREATE INDEX "run_by_delivery" ON "signalbox"."run" USING btree ("delivery_id","created_at","id");--> statement-breakpoint
CREATE INDEX "run_by_run_key" ON "signalbox"."run" USING btree ("run_key","created_at","id") WHERE run_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_by_slot" ON "signalbox"."run" USING btree ("target","run_key","key_slot","key_order") WHERE key_slot IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_waiting_for_slot" ON "signalbox"."run" USING btree ("created_at","id") WHERE key_slot = 'waiting';--> statement-breakpoint
CREATE INDEX "run_by_replay" ON "signalbox"."run" USING btree ("replay_of","created_at","id") WHERE replay_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_by_failure" ON "signalbox"."run" USING btree ("failure_of","created_at","id") WHERE failure_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_by_parent" ON "signalbox"."run" USING btree ("child_of","created_at","id") WHERE child_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_to_settle" ON "signalbox"."run" USING btree ("settle_at") WHERE settle_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_by_failure_time" ON "signalbox"."run" USING btree ("target","finished_at") WHERE status IN ('failed', 'timed_out');--> statement-breakpoint
CREATE INDEX "run_by_key" ON "signalbox"."run" USING btree ("key_id","created_at","id") WHERE key_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_queued_by_target" ON "signalbox"."run" USING btree ("target","available_at") WHERE status = 'queued';--> statement-breakpoint
CREATE INDEX "run_waiting_by_target" ON "signalbox"."run" USING btree ("target") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "run_in_queue" ON "signalbox"."run" USING btree ("is_isolated","version",(CASE WHEN is_limited THEN target ELSE '' END),(CASE WHEN status = 'waiting' THEN 0 WHEN is_resuming THEN 1 ELSE 2 END),"available_at") WHERE worker_id IS NULL AND finished_at IS NULL;--> statement-breakpoint
CREATE INDEX "run_held" ON "signalbox"."run" USING btree ("target","worker_id") WHERE worker_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_by_spend" ON "signalbox"."run" USING btree ("created_at","id","tokens","cost_usd","target_slug","status","trigger","version") WHERE tokens IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_event_by_run" ON "signalbox"."run_event" USING btree ("run_id","id");--> statement-breakpoint
-- Each page keeps room for the next versions of its rows: steps and leases change rows in place. Drizzle cannot say fillfactor.
ALTER TABLE "signalbox"."run" SET (fillfactor = 85);--> statement-breakpoint
CREATE TABLE "signalbox"."wait_paths" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"paths" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signalbox"."run_wait" (
	"run_id" text COLLATE "C" NOT NULL,
	"position" bigserial NOT NULL,
	"step" text COLLATE "C" NOT NULL,
	"branch" text COLLATE "C" NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"match" text NOT NULL,
	"match_key" text COLLATE "C" NOT NULL,
	"since" bigint NOT NULL,
	"until" bigint NOT NULL,
	"is_searched" boolean DEFAULT false NOT NULL,
	"search_at" bigint,
	"delivery" text COLLATE "C",
	CONSTRAINT "run_wait_run_id_step_branch_pk" PRIMARY KEY("run_id","step","branch")
);
--> statement-breakpoint
ALTER TABLE "signalbox"."run_wait" ADD CONSTRAINT "run_wait_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "signalbox"."run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "wait_paths_by_source" ON "signalbox"."wait_paths" USING btree ("source");--> statement-breakpoint
CREATE INDEX "run_wait_by_match" ON "signalbox"."run_wait" USING btree ("match_key") WHERE delivery IS NULL;--> statement-breakpoint
CREATE INDEX "run_wait_by_delivery" ON "signalbox"."run_wait" USING btree ("delivery") WHERE delivery IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_wait_by_source" ON "signalbox"."run_wait" USING btree ("source","run_id") WHERE delivery IS NULL;--> statement-breakpoint
CREATE INDEX "run_wait_to_search" ON "signalbox"."run_wait" USING btree ("search_at") WHERE search_at IS NOT NULL;