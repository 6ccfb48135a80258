-- Verdicts are counted by the day as well: those that were counted by the hour so far.
INSERT INTO `traffic` (`bucket_ms`, `endpoint`, `attachment_id`, `at`, `outcome`, `count`)
SELECT 86400000, `endpoint`, `attachment_id`, `at` - `at` % 86400000, `outcome`, sum(`count`) FROM `traffic`
WHERE `bucket_ms` = 3600000 AND `attachment_id` > '' GROUP BY 2, 3, 4, 5;
