CREATE TABLE `revert` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`seq` integer NOT NULL,
	`data` text NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `revert_session` ON `revert` (`session_id`,`seq`);--> statement-breakpoint
CREATE INDEX `revert_pending` ON `revert` (`session_id`) WHERE json_extract(data, '$.ended') IS NULL;