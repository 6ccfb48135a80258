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
CREATE TABLE `invitation` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`hash` text NOT NULL,
	`role` text NOT NULL,
	`note` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitation_by_hash` ON `invitation` (`hash`);--> statement-breakpoint
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
ALTER TABLE `webhook_key` ADD `scope` text;