CREATE TABLE `trigger_switch` (
	`slug` text PRIMARY KEY NOT NULL,
	`disabled_at` integer,
	`reason` text,
	`revision` integer NOT NULL
);
