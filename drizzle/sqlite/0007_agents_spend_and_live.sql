CREATE TABLE `run_live` (
	`run_id` text PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	`step` text NOT NULL,
	`attempt` integer NOT NULL,
	`started_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`revision` integer NOT NULL,
	`said` text NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `run` ADD `tokens` integer;--> statement-breakpoint
ALTER TABLE `run` ADD `cost_usd` real;--> statement-breakpoint
CREATE INDEX `run_by_spend` ON `run` (`created_at`,`id`,`tokens`,`cost_usd`,`target_slug`,`status`,`trigger`,`version`) WHERE tokens IS NOT NULL;