CREATE TABLE "audit_entry" (
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
CREATE TABLE "invitation" (
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
CREATE TABLE "person" (
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
CREATE TABLE "person_account" (
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
CREATE TABLE "person_session" (
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
CREATE TABLE "person_verification" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"identifier" text COLLATE "C" NOT NULL,
	"value" text COLLATE "C" NOT NULL,
	"expires_at" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_key" (
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
CREATE TABLE "delivery" (
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
	"headers" text NOT NULL,
	"problem" text,
	"verdicts" text NOT NULL,
	"decided" text COLLATE "C" NOT NULL,
	"body" "bytea",
	"redelivery_of" text COLLATE "C",
	"position" bigserial NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_key" (
	"endpoint" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"delivery_id" text COLLATE "C" NOT NULL,
	"body_sha256" text COLLATE "C",
	"accepted_at" bigint NOT NULL,
	CONSTRAINT "idempotency_key_endpoint_key_pk" PRIMARY KEY("endpoint","key")
);
--> statement-breakpoint
CREATE TABLE "traffic" (
	"bucket_ms" bigint NOT NULL,
	"endpoint" text COLLATE "C" NOT NULL,
	"attachment_id" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	"outcome" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "traffic_bucket_ms_endpoint_attachment_id_at_outcome_pk" PRIMARY KEY("bucket_ms","endpoint","attachment_id","at","outcome")
);
--> statement-breakpoint
CREATE TABLE "traffic_log" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"counts" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rate_bucket" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"tokens" double precision NOT NULL,
	"filled_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "store_fact" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"value" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "preset" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"subject_kind" text COLLATE "C" NOT NULL,
	"subject_slug" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"saved_at" bigint NOT NULL,
	"value" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "trigger_switch" (
	"slug" text COLLATE "C" PRIMARY KEY NOT NULL,
	"disabled_at" bigint,
	"reason" text COLLATE "C",
	"revision" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "run" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"trigger" text COLLATE "C",
	"attachment_id" text COLLATE "C",
	"target_kind" text COLLATE "C" NOT NULL,
	"target_slug" text COLLATE "C" NOT NULL,
	"target" text COLLATE "C" NOT NULL,
	"delivery_id" text COLLATE "C",
	"started_by" text COLLATE "C" NOT NULL,
	"replay_of" text COLLATE "C",
	"key_id" text COLLATE "C",
	"version" text COLLATE "C" NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"max_attempts" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"started_at" bigint,
	"finished_at" bigint,
	"available_at" bigint NOT NULL,
	"cancel_requested_at" bigint,
	"is_resuming" boolean DEFAULT false NOT NULL,
	"is_isolated" boolean DEFAULT false NOT NULL,
	"crashes" integer DEFAULT 0 NOT NULL,
	"token" text COLLATE "C",
	"worker_id" text COLLATE "C",
	"lease_until" bigint,
	"progress_seq" bigint DEFAULT 0 NOT NULL,
	"error_name" text COLLATE "C",
	"error_message" text COLLATE "C",
	"error_stack" text COLLATE "C",
	"payload" text,
	"input" text,
	"output" text,
	"tokens" bigint,
	"cost_usd" double precision
);
--> statement-breakpoint
CREATE TABLE "run_event" (
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
CREATE TABLE "run_live" (
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
CREATE TABLE "run_step" (
	"run_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"attempt" integer NOT NULL,
	"started_at" bigint NOT NULL,
	"finished_at" bigint,
	"until" bigint,
	"result" text,
	"position" bigserial NOT NULL,
	CONSTRAINT "run_step_run_id_name_pk" PRIMARY KEY("run_id","name")
);
--> statement-breakpoint
CREATE TABLE "worker" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"pid" integer NOT NULL,
	"host" text COLLATE "C" NOT NULL,
	"version" text COLLATE "C" NOT NULL,
	"started_at" bigint NOT NULL,
	"seen_at" bigint NOT NULL,
	"is_leaving" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "person_account" ADD CONSTRAINT "person_account_person_id_person_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."person"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "person_session" ADD CONSTRAINT "person_session_person_id_person_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."person"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_key" ADD CONSTRAINT "idempotency_key_delivery_id_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."delivery"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run" ADD CONSTRAINT "run_delivery_id_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."delivery"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_event" ADD CONSTRAINT "run_event_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_live" ADD CONSTRAINT "run_live_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_step" ADD CONSTRAINT "run_step_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_entry_by_time" ON "audit_entry" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_entry_by_action" ON "audit_entry" USING btree ("action","at","id");--> statement-breakpoint
CREATE INDEX "audit_entry_by_actor" ON "audit_entry" USING btree ("actor_id","at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "invitation_by_hash" ON "invitation" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "invitation_open" ON "invitation" USING btree ("expires_at") WHERE accepted_at IS NULL AND revoked_at IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "person_by_email" ON "person" USING btree ("email");--> statement-breakpoint
CREATE INDEX "person_account_by_person" ON "person_account" USING btree ("person_id");--> statement-breakpoint
CREATE UNIQUE INDEX "person_account_by_provider" ON "person_account" USING btree ("provider_id","account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "person_session_by_token" ON "person_session" USING btree ("token");--> statement-breakpoint
CREATE INDEX "person_session_by_person" ON "person_session" USING btree ("person_id","updated_at");--> statement-breakpoint
CREATE INDEX "person_session_by_expiry" ON "person_session" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "person_verification_by_identifier" ON "person_verification" USING btree ("identifier");--> statement-breakpoint
CREATE INDEX "person_verification_by_expiry" ON "person_verification" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_key_by_hash" ON "webhook_key" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "webhook_key_by_kind" ON "webhook_key" USING btree ("kind","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_key_by_owner" ON "webhook_key" USING btree ("owner_id") WHERE owner_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "delivery_by_time" ON "delivery" USING btree ("received_at","id");--> statement-breakpoint
CREATE INDEX "delivery_by_endpoint" ON "delivery" USING btree ("endpoint","received_at","id","outcome","response_status");--> statement-breakpoint
CREATE INDEX "delivery_by_outcome" ON "delivery" USING btree ("outcome","received_at","id","endpoint","response_status");--> statement-breakpoint
CREATE INDEX "delivery_by_response_status" ON "delivery" USING btree ("response_status","received_at","id","endpoint","outcome");--> statement-breakpoint
CREATE INDEX "delivery_by_redelivery" ON "delivery" USING btree ("redelivery_of","received_at","id") WHERE redelivery_of IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "delivery_by_position" ON "delivery" USING btree ("position");--> statement-breakpoint
CREATE INDEX "idempotency_key_by_delivery" ON "idempotency_key" USING btree ("delivery_id");--> statement-breakpoint
CREATE INDEX "rate_bucket_by_time" ON "rate_bucket" USING btree ("filled_at");--> statement-breakpoint
CREATE UNIQUE INDEX "preset_by_name" ON "preset" USING btree ("subject_kind","subject_slug","name");--> statement-breakpoint
CREATE INDEX "run_by_time" ON "run" USING btree ("created_at","id","version","target_kind");--> statement-breakpoint
CREATE INDEX "run_by_trigger" ON "run" USING btree ("trigger","created_at","id","target_slug","target_kind","version");--> statement-breakpoint
CREATE INDEX "run_by_target" ON "run" USING btree ("target_slug","created_at","id","target_kind","status","started_at","finished_at","trigger","version");--> statement-breakpoint
CREATE INDEX "run_by_status" ON "run" USING btree ("status","created_at","id","trigger","target_slug","target_kind","version");--> statement-breakpoint
CREATE INDEX "run_by_delivery" ON "run" USING btree ("delivery_id","created_at","id");--> statement-breakpoint
CREATE INDEX "run_by_replay" ON "run" USING btree ("replay_of","created_at","id") WHERE replay_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_by_key" ON "run" USING btree ("key_id","created_at","id") WHERE key_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_open" ON "run" USING btree ("is_isolated","target","status","available_at","id") WHERE status IN ('queued', 'waiting');--> statement-breakpoint
CREATE INDEX "run_waiting" ON "run" USING btree ("is_isolated","available_at") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "run_running_by_target" ON "run" USING btree ("target") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "run_by_lease" ON "run" USING btree ("lease_until") WHERE lease_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_by_worker" ON "run" USING btree ("worker_id") WHERE worker_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_by_spend" ON "run" USING btree ("created_at","id","tokens","cost_usd","target_slug","status","trigger","version") WHERE tokens IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_event_by_run" ON "run_event" USING btree ("run_id","id");