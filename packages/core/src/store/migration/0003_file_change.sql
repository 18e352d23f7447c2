CREATE TABLE `file_change` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`message_id` text NOT NULL,
	`seq` integer NOT NULL,
	`path` text NOT NULL,
	`data` text NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `file_change_message` ON `file_change` (`message_id`,`seq`);--> statement-breakpoint
CREATE INDEX `file_change_session` ON `file_change` (`session_id`,`seq`);--> statement-breakpoint
CREATE INDEX `file_change_path` ON `file_change` (`session_id`,`path`);