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
-- Counters lie in the order of their key, with nothing beside it: reading a window is one walk. Drizzle cannot say WITHOUT ROWID.
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
DROP INDEX `delivery_by_endpoint`;--> statement-breakpoint
DROP INDEX `delivery_by_outcome`;--> statement-breakpoint
DROP INDEX `delivery_by_response_status`;--> statement-breakpoint
ALTER TABLE `delivery` ADD `redelivery_of` text;--> statement-breakpoint
CREATE INDEX `delivery_by_redelivery` ON `delivery` (`redelivery_of`,`received_at`,`id`) WHERE redelivery_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX `delivery_by_endpoint` ON `delivery` (`endpoint`,`received_at`,`id`,`outcome`,`response_status`);--> statement-breakpoint
CREATE INDEX `delivery_by_outcome` ON `delivery` (`outcome`,`received_at`,`id`,`endpoint`,`response_status`);--> statement-breakpoint
CREATE INDEX `delivery_by_response_status` ON `delivery` (`response_status`,`received_at`,`id`,`endpoint`,`outcome`);--> statement-breakpoint
DROP INDEX `run_by_time`;--> statement-breakpoint
DROP INDEX `run_by_trigger`;--> statement-breakpoint
DROP INDEX `run_by_target`;--> statement-breakpoint
DROP INDEX `run_by_status`;--> statement-breakpoint
DROP INDEX `run_by_delivery`;--> statement-breakpoint
CREATE INDEX `run_by_replay` ON `run` (`replay_of`,`created_at`,`id`) WHERE replay_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX `run_by_time` ON `run` (`created_at`,`id`,`version`,`target_kind`);--> statement-breakpoint
CREATE INDEX `run_by_trigger` ON `run` (`trigger`,`created_at`,`id`,`target_slug`,`target_kind`,`version`);--> statement-breakpoint
CREATE INDEX `run_by_target` ON `run` (`target_slug`,`created_at`,`id`,`target_kind`,`status`,`started_at`,`finished_at`,`trigger`,`version`);--> statement-breakpoint
CREATE INDEX `run_by_status` ON `run` (`status`,`created_at`,`id`,`trigger`,`target_slug`,`target_kind`,`version`);--> statement-breakpoint
CREATE INDEX `run_by_delivery` ON `run` (`delivery_id`,`created_at`,`id`);