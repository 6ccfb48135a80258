CREATE TABLE `delivery` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` blob NOT NULL,
	`endpoint` integer NOT NULL,
	`received_at` integer NOT NULL,
	`method` integer NOT NULL,
	`outcome` integer NOT NULL,
	`response_status` integer NOT NULL,
	`duration_ms` real NOT NULL,
	`body_bytes` integer NOT NULL,
	`body_sha256` blob,
	`key` integer,
	`redelivery_of` blob,
	`idempotency_key` blob,
	`headers` text NOT NULL,
	`problem` text,
	`verdicts` text NOT NULL,
	`body` blob
);
--> statement-breakpoint
CREATE UNIQUE INDEX `delivery_by_id` ON `delivery` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `delivery_by_idempotency_key` ON `delivery` (`endpoint`,`idempotency_key`) WHERE idempotency_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `delivery_by_redelivery` ON `delivery` (`redelivery_of`,`received_at`,`seq`) WHERE redelivery_of IS NOT NULL;--> statement-breakpoint
CREATE TABLE `name` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`text` text NOT NULL,
	`is_kept` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `name_by_text` ON `name` (`text`);--> statement-breakpoint
CREATE TABLE `store_change` (
	`id` integer PRIMARY KEY NOT NULL,
	`changes` integer NOT NULL
);
--> statement-breakpoint
-- Counters lie in the order of their key, with nothing beside it: reading a window is one walk.
CREATE TABLE `traffic` (
	`bucket_ms` integer NOT NULL,
	`endpoint` text NOT NULL,
	`attachment_id` text NOT NULL,
	`at` integer NOT NULL,
	`outcome` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`bucket_ms`, `endpoint`, `attachment_id`, `at`, `outcome`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `traffic_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`counts` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `delivery_list` (
	`seq` integer PRIMARY KEY NOT NULL,
	`received_at` integer NOT NULL,
	`endpoint` integer NOT NULL,
	`outcome` integer NOT NULL,
	`response_status` integer NOT NULL,
	FOREIGN KEY (`seq`) REFERENCES `delivery`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `delivery_by_time` ON `delivery_list` (`received_at`);--> statement-breakpoint
CREATE INDEX `delivery_by_endpoint` ON `delivery_list` (`endpoint`,`received_at`);--> statement-breakpoint
CREATE INDEX `delivery_by_outcome` ON `delivery_list` (`outcome`,`received_at`);--> statement-breakpoint
CREATE INDEX `delivery_by_response_status` ON `delivery_list` (`response_status`,`received_at`);--> statement-breakpoint
CREATE TABLE `run_list` (
	`seq` integer PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`status` integer NOT NULL,
	`trigger` integer,
	`target_slug` integer NOT NULL,
	`target_kind` integer NOT NULL,
	`version` integer NOT NULL,
	`key` integer,
	`failure_of` blob,
	`started_at` integer,
	`finished_at` integer,
	`tokens` integer,
	`cost_usd` real,
	FOREIGN KEY (`seq`) REFERENCES `run`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `run_by_time` ON `run_list` (`created_at`);--> statement-breakpoint
CREATE INDEX `run_by_trigger` ON `run_list` (`trigger`,`created_at`);--> statement-breakpoint
CREATE INDEX `run_by_target` ON `run_list` (`target_slug`,`created_at`);--> statement-breakpoint
CREATE INDEX `run_by_status` ON `run_list` (`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `run_failed` ON `run_list` (`created_at`) WHERE status IN (4, 6);--> statement-breakpoint
CREATE INDEX `run_by_key` ON `run_list` (`key`,`created_at`) WHERE key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `run_by_spend` ON `run_list` (`created_at`) WHERE tokens IS NOT NULL;--> statement-breakpoint
CREATE TABLE `alert` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`count` integer NOT NULL,
	`detail` text NOT NULL,
	`opened_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`resolved_at` integer,
	`reported_count` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alert_open` ON `alert` (`kind`,`subject`) WHERE resolved_at IS NULL;--> statement-breakpoint
CREATE INDEX `alert_by_time` ON `alert` (`opened_at`,`id`);--> statement-breakpoint
CREATE INDEX `alert_by_end` ON `alert` (`resolved_at`);--> statement-breakpoint
CREATE TABLE `alert_message` (
	`id` text PRIMARY KEY NOT NULL,
	`alert_id` text NOT NULL,
	`type` text NOT NULL,
	`destination` text NOT NULL,
	`alert` text NOT NULL,
	`created_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`sent_at` integer,
	`error` text
);
--> statement-breakpoint
CREATE INDEX `alert_message_by_alert` ON `alert_message` (`alert_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `alert_message_by_time` ON `alert_message` (`created_at`);--> statement-breakpoint
CREATE INDEX `alert_message_due` ON `alert_message` (`due_at`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `alert_watch` (
	`id` text PRIMARY KEY NOT NULL,
	`evaluated_at` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_entry` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`action` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text,
	`subject` text,
	`address` text,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `audit_entry_by_time` ON `audit_entry` (`at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entry_by_action` ON `audit_entry` (`action`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entry_by_actor` ON `audit_entry` (`actor_id`,`at`,`id`);--> statement-breakpoint
CREATE TABLE `clock_watch` (
	`id` text PRIMARY KEY NOT NULL,
	`seen_at` integer NOT NULL,
	`trusted_at` integer,
	`waiting_since` integer,
	`removed_before` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `content_key` (
	`id` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL,
	`retired_at` integer
);
--> statement-breakpoint
CREATE TABLE `event_contract` (
	`id` text PRIMARY KEY NOT NULL,
	`endpoint` text NOT NULL,
	`kind` text NOT NULL,
	`revision` integer NOT NULL,
	`last_seen` integer NOT NULL,
	`content` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `event_contract_by_endpoint` ON `event_contract` (`endpoint`,`kind`);--> statement-breakpoint
CREATE INDEX `event_contract_by_age` ON `event_contract` (`last_seen`);--> statement-breakpoint
CREATE TABLE `invitation` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`hash` text NOT NULL,
	`role` text NOT NULL,
	`note` text NOT NULL,
	`created_by` text NOT NULL,
	`created_by_id` text,
	`person_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitation_by_hash` ON `invitation` (`hash`);--> statement-breakpoint
CREATE INDEX `invitation_open` ON `invitation` (`expires_at`) WHERE accepted_at IS NULL AND revoked_at IS NULL;--> statement-breakpoint
CREATE TABLE `person` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`email_verified` integer DEFAULT false NOT NULL,
	`image` text,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `person_by_email` ON `person` (`email`);--> statement-breakpoint
CREATE TABLE `person_account` (
	`id` text PRIMARY KEY NOT NULL,
	`person_id` text NOT NULL,
	`account_id` text NOT NULL,
	`provider_id` text NOT NULL,
	`access_token` text,
	`refresh_token` text,
	`id_token` text,
	`access_token_expires_at` integer,
	`refresh_token_expires_at` integer,
	`scope` text,
	`password` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `person`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `person_account_by_person` ON `person_account` (`person_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `person_account_by_provider` ON `person_account` (`provider_id`,`account_id`);--> statement-breakpoint
CREATE TABLE `person_session` (
	`id` text PRIMARY KEY NOT NULL,
	`person_id` text NOT NULL,
	`token` text NOT NULL,
	`expires_at` integer NOT NULL,
	`ip_address` text,
	`user_agent` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `person`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `person_session_by_token` ON `person_session` (`token`);--> statement-breakpoint
CREATE INDEX `person_session_by_person` ON `person_session` (`person_id`,`updated_at`);--> statement-breakpoint
CREATE INDEX `person_session_by_expiry` ON `person_session` (`expires_at`);--> statement-breakpoint
CREATE TABLE `person_verification` (
	`id` text PRIMARY KEY NOT NULL,
	`identifier` text NOT NULL,
	`value` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `person_verification_by_identifier` ON `person_verification` (`identifier`);--> statement-breakpoint
CREATE INDEX `person_verification_by_expiry` ON `person_verification` (`expires_at`);--> statement-breakpoint
CREATE TABLE `preset` (
	`id` text PRIMARY KEY NOT NULL,
	`subject_kind` text NOT NULL,
	`subject_slug` text NOT NULL,
	`name` text NOT NULL,
	`saved_at` integer NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `preset_by_name` ON `preset` (`subject_kind`,`subject_slug`,`name`);--> statement-breakpoint
CREATE TABLE `removed_person` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`removed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `removed_person_by_email` ON `removed_person` (`email`);--> statement-breakpoint
CREATE TABLE `run_start` (
	`id` text PRIMARY KEY NOT NULL,
	`body_sha256` text NOT NULL,
	`at` integer NOT NULL,
	`runs` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `run_start_by_time` ON `run_start` (`at`);--> statement-breakpoint
CREATE TABLE `trigger_switch` (
	`slug` text PRIMARY KEY NOT NULL,
	`disabled_at` integer,
	`reason` text,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhook_key` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`hint` text NOT NULL,
	`hash` text NOT NULL,
	`ciphertext` text,
	`endpoints` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer,
	`scope` text,
	`replaced_by` text,
	`owner_id` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_key_by_hash` ON `webhook_key` (`hash`);--> statement-breakpoint
CREATE INDEX `webhook_key_by_kind` ON `webhook_key` (`kind`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_key_by_owner` ON `webhook_key` (`owner_id`) WHERE owner_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `run` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` blob NOT NULL,
	`status` integer NOT NULL,
	`trigger` integer,
	`attachment` integer,
	`target_kind` integer NOT NULL,
	`target_slug` integer NOT NULL,
	`target` integer NOT NULL,
	`delivery` integer,
	`started_by` integer NOT NULL,
	`replay_of` blob,
	`failure_of` blob,
	`child_of` blob,
	`child_step` text,
	`child_link` integer,
	`depth` integer DEFAULT 0 NOT NULL,
	`is_parent` integer DEFAULT false NOT NULL,
	`settle_at` integer,
	`key` integer,
	`run_key` text,
	`version` integer NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`max_attempts` integer NOT NULL,
	`attempts_before` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`resumed_at` integer,
	`started_at` integer,
	`finished_at` integer,
	`available_at` integer NOT NULL,
	`cancel_requested_at` integer,
	`is_resuming` integer DEFAULT false NOT NULL,
	`is_isolated` integer DEFAULT false NOT NULL,
	`crashes` integer DEFAULT 0 NOT NULL,
	`key_slot` integer,
	`key_order` integer,
	`token` blob,
	`worker_id` blob,
	`lease_until` integer,
	`progress_seq` integer DEFAULT 0 NOT NULL,
	`implied_entries` integer NOT NULL,
	`duration_ms` real,
	`tokens` integer,
	`cost_usd` real,
	`error_name` text,
	`error_message` text,
	`error_stack` text,
	`payload` text,
	`input` text,
	`output` text,
	FOREIGN KEY (`delivery`) REFERENCES `delivery`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `run_by_id` ON `run` (`id`);--> statement-breakpoint
CREATE INDEX `run_open` ON `run` (`status`,`is_isolated`,`target`,`available_at`) WHERE status < 3;--> statement-breakpoint
CREATE INDEX `run_waiting` ON `run` (`is_isolated`,`available_at`) WHERE status = 1;--> statement-breakpoint
CREATE INDEX `run_by_delivery` ON `run` (`delivery`,`created_at`,`seq`);--> statement-breakpoint
CREATE INDEX `run_by_failure_time` ON `run` (`target`,`finished_at`) WHERE status IN (4, 6);--> statement-breakpoint
CREATE INDEX `run_by_run_key` ON `run` (`run_key`,`created_at`,`seq`) WHERE run_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `run_by_slot` ON `run` (`target`,`run_key`,`key_slot`,`key_order`) WHERE key_slot IS NOT NULL;--> statement-breakpoint
CREATE INDEX `run_waiting_for_slot` ON `run` (`created_at`,`seq`) WHERE key_slot = 2;--> statement-breakpoint
CREATE INDEX `run_by_replay` ON `run` (`replay_of`,`created_at`,`seq`) WHERE replay_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX `run_by_failure` ON `run` (`failure_of`,`created_at`,`seq`) WHERE failure_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX `run_by_parent` ON `run` (`child_of`,`created_at`,`seq`) WHERE child_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX `run_to_settle` ON `run` (`settle_at`) WHERE settle_at IS NOT NULL;--> statement-breakpoint
-- The timeline of a run is one walk. Drizzle cannot say WITHOUT ROWID.
CREATE TABLE `run_event` (
	`run` integer NOT NULL,
	`position` integer NOT NULL,
	`at` integer NOT NULL,
	`kind` integer NOT NULL,
	`attempt` integer NOT NULL,
	`name` text,
	`level` integer,
	`message` text,
	`duration_ms` real,
	`until` integer,
	`error` text,
	`data` text,
	PRIMARY KEY(`run`, `position`),
	FOREIGN KEY (`run`) REFERENCES `run`(`seq`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `run_live` (
	`run` integer PRIMARY KEY NOT NULL,
	`token` blob NOT NULL,
	`step` text NOT NULL,
	`attempt` integer NOT NULL,
	`started_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`revision` integer NOT NULL,
	`said` text NOT NULL,
	FOREIGN KEY (`run`) REFERENCES `run`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `run_step` (
	`position` integer PRIMARY KEY NOT NULL,
	`run` integer NOT NULL,
	`name` text NOT NULL,
	`kind` integer NOT NULL,
	`attempt` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`until` integer,
	`result` text,
	`sequence` integer,
	FOREIGN KEY (`run`) REFERENCES `run`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `run_step_by_name` ON `run_step` (`run`,`name`);--> statement-breakpoint
CREATE TABLE `worker` (
	`id` text PRIMARY KEY NOT NULL,
	`pid` integer NOT NULL,
	`host` text NOT NULL,
	`version` text NOT NULL,
	`started_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`pool` text,
	`is_responsive` integer,
	`free_slots` integer
);--> statement-breakpoint
CREATE TABLE `wait_paths` (
	`id` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`paths` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `wait_paths_by_source` ON `wait_paths` (`source`);--> statement-breakpoint
CREATE TABLE `run_wait` (
	`run` integer NOT NULL,
	`position` integer PRIMARY KEY NOT NULL,
	`step` text NOT NULL,
	`branch` text NOT NULL,
	`source` text NOT NULL,
	`match` text NOT NULL,
	`match_key` blob NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`is_searched` integer DEFAULT false NOT NULL,
	`search_at` integer,
	`delivery` blob,
	FOREIGN KEY (`run`) REFERENCES `run`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `run_wait_by_step` ON `run_wait` (`run`,`step`,`branch`);--> statement-breakpoint
CREATE INDEX `run_wait_by_match` ON `run_wait` (`match_key`) WHERE delivery IS NULL;--> statement-breakpoint
CREATE INDEX `run_wait_by_delivery` ON `run_wait` (`delivery`) WHERE delivery IS NOT NULL;--> statement-breakpoint
CREATE INDEX `run_wait_by_source` ON `run_wait` (`source`,`run`) WHERE delivery IS NULL;--> statement-breakpoint
CREATE INDEX `run_wait_to_search` ON `run_wait` (`search_at`) WHERE search_at IS NOT NULL;--> statement-breakpoint
-- Entries of the list index follow their runs. Drizzle knows no triggers.
CREATE TRIGGER `run_list_follows` AFTER UPDATE OF `status`, `version`, `started_at`, `finished_at`, `tokens`, `cost_usd` ON `run` BEGIN
	UPDATE `run_list` SET `status` = NEW.`status`, `version` = NEW.`version`, `started_at` = NEW.`started_at`, `finished_at` = NEW.`finished_at`, `tokens` = NEW.`tokens`, `cost_usd` = NEW.`cost_usd` WHERE `seq` = NEW.`seq`;
END;
