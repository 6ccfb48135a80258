CREATE TABLE `clock_watch` (
	`id` text PRIMARY KEY NOT NULL,
	`seen_at` integer NOT NULL,
	`trusted_at` integer,
	`waiting_since` integer
);
--> statement-breakpoint
CREATE TABLE `removed_person` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`removed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `removed_person_by_email` ON `removed_person` (`email`);