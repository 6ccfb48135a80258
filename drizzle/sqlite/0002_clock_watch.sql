CREATE TABLE `clock_watch` (
	`id` text PRIMARY KEY NOT NULL,
	`seen_at` integer NOT NULL,
	`trusted_at` integer,
	`waiting_since` integer
);
