CREATE TABLE `delivery` (
	`id` text PRIMARY KEY NOT NULL,
	`endpoint` text NOT NULL,
	`received_at` integer NOT NULL,
	`method` text NOT NULL,
	`outcome` text NOT NULL,
	`response_status` integer NOT NULL,
	`duration_ms` real NOT NULL,
	`body_bytes` integer NOT NULL,
	`body_sha256` text,
	`key_id` text,
	`headers` text NOT NULL,
	`problem` text,
	`verdicts` text NOT NULL,
	`body` blob
);
--> statement-breakpoint
CREATE INDEX `delivery_by_time` ON `delivery` (`received_at`,`id`);--> statement-breakpoint
CREATE INDEX `delivery_by_endpoint` ON `delivery` (`endpoint`,`received_at`,`id`);--> statement-breakpoint
CREATE INDEX `delivery_by_outcome` ON `delivery` (`outcome`,`received_at`,`id`);--> statement-breakpoint
CREATE INDEX `delivery_by_response_status` ON `delivery` (`response_status`,`received_at`,`id`);--> statement-breakpoint
CREATE TABLE `idempotency_key` (
	`endpoint` text NOT NULL,
	`key` text NOT NULL,
	`delivery_id` text NOT NULL,
	`body_sha256` text,
	`accepted_at` integer NOT NULL,
	PRIMARY KEY(`endpoint`, `key`),
	FOREIGN KEY (`delivery_id`) REFERENCES `delivery`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idempotency_key_by_delivery` ON `idempotency_key` (`delivery_id`);--> statement-breakpoint
CREATE TABLE `run` (
	`id` text PRIMARY KEY NOT NULL,
	`status` text NOT NULL,
	`trigger` text,
	`attachment_id` text,
	`target_kind` text NOT NULL,
	`target_slug` text NOT NULL,
	`target` text NOT NULL,
	`delivery_id` text,
	`started_by` text NOT NULL,
	`replay_of` text,
	`key_id` text,
	`version` text NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`max_attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`available_at` integer NOT NULL,
	`cancel_requested_at` integer,
	`is_resuming` integer DEFAULT false NOT NULL,
	`is_isolated` integer DEFAULT false NOT NULL,
	`crashes` integer DEFAULT 0 NOT NULL,
	`token` text,
	`worker_id` text,
	`lease_until` integer,
	`error_name` text,
	`error_message` text,
	`error_stack` text,
	`payload` text,
	`input` text,
	`output` text,
	FOREIGN KEY (`delivery_id`) REFERENCES `delivery`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `run_by_time` ON `run` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `run_by_trigger` ON `run` (`trigger`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `run_by_target` ON `run` (`target_slug`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `run_by_status` ON `run` (`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `run_by_delivery` ON `run` (`delivery_id`);--> statement-breakpoint
CREATE INDEX `run_by_key` ON `run` (`key_id`,`created_at`,`id`) WHERE key_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `run_open` ON `run` (`is_isolated`,`target`,`status`,`available_at`,`id`) WHERE status IN ('queued', 'waiting');--> statement-breakpoint
CREATE INDEX `run_waiting` ON `run` (`is_isolated`,`available_at`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `run_running_by_target` ON `run` (`target`) WHERE status = 'running';--> statement-breakpoint
CREATE INDEX `run_by_lease` ON `run` (`lease_until`) WHERE lease_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX `run_by_worker` ON `run` (`worker_id`) WHERE worker_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `run_event` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` text NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`attempt` integer NOT NULL,
	`name` text,
	`level` text,
	`message` text,
	`duration_ms` real,
	`until` integer,
	`error` text,
	`data` text,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `run_event_by_run` ON `run_event` (`run_id`,`id`);--> statement-breakpoint
CREATE TABLE `run_step` (
	`run_id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`attempt` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`until` integer,
	`result` text,
	PRIMARY KEY(`run_id`, `name`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE cascade
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
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_key_by_hash` ON `webhook_key` (`hash`);--> statement-breakpoint
CREATE TABLE `worker` (
	`id` text PRIMARY KEY NOT NULL,
	`pid` integer NOT NULL,
	`host` text NOT NULL,
	`version` text NOT NULL,
	`started_at` integer NOT NULL,
	`seen_at` integer NOT NULL
);
