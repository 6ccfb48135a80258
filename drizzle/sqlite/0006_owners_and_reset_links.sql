ALTER TABLE `invitation` ADD `created_by_id` text;--> statement-breakpoint
ALTER TABLE `invitation` ADD `person_id` text;--> statement-breakpoint
CREATE INDEX `invitation_open` ON `invitation` (`expires_at`) WHERE accepted_at IS NULL AND revoked_at IS NULL;--> statement-breakpoint
ALTER TABLE `webhook_key` ADD `owner_id` text;--> statement-breakpoint
CREATE INDEX `webhook_key_by_kind` ON `webhook_key` (`kind`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_key_by_owner` ON `webhook_key` (`owner_id`) WHERE owner_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `person_session_by_expiry` ON `person_session` (`expires_at`);--> statement-breakpoint
CREATE INDEX `person_verification_by_expiry` ON `person_verification` (`expires_at`);--> statement-breakpoint
-- Who made what is there already stands in the audit log. What people have made who left before stays nobody's.
UPDATE `webhook_key` SET `owner_id` = (
	SELECT a.`actor_id` FROM `audit_entry` a JOIN `person` p ON p.`id` = a.`actor_id`
	WHERE a.`action` = 'key.created' AND a.`subject` = `webhook_key`.`id` AND a.`actor_kind` = 'person'
) WHERE `kind` = 'api';--> statement-breakpoint
UPDATE `invitation` SET `created_by_id` = (
	SELECT a.`actor_id` FROM `audit_entry` a
	WHERE a.`action` = 'invitation.created' AND a.`subject` = `invitation`.`id` AND a.`actor_kind` = 'person'
);
