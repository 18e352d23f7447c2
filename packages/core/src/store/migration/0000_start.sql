CREATE TABLE `event` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`session_id` text NOT NULL,
	`time` integer NOT NULL,
	`type` text NOT NULL,
	`properties` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `event_session` ON `event` (`session_id`,`seq`);--> statement-breakpoint
CREATE TABLE `inbox` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`seq` integer NOT NULL,
	`data` text NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `inbox_session` ON `inbox` (`session_id`,`seq`);--> statement-breakpoint
CREATE TABLE `lease` (
	`session_id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`pid` integer NOT NULL,
	`started` text NOT NULL,
	`boot` text NOT NULL,
	`namespace` text NOT NULL,
	`since` integer NOT NULL,
	`heartbeat` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `message` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`seq` integer NOT NULL,
	`data` text NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `message_session` ON `message` (`session_id`,`seq`);--> statement-breakpoint
CREATE TABLE `migration` (
	`name` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`time` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `part` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`message_id` text NOT NULL,
	`seq` integer NOT NULL,
	`data` text NOT NULL,
	`tail` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `part_message` ON `part` (`message_id`,`seq`);--> statement-breakpoint
CREATE INDEX `part_session` ON `part` (`session_id`,`seq`);--> statement-breakpoint
CREATE TABLE `permission` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`seq` integer NOT NULL,
	`request` text NOT NULL,
	`reply` text,
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `permission_session` ON `permission` (`session_id`,`seq`);--> statement-breakpoint
CREATE INDEX `permission_pending` ON `permission` (`seq`) WHERE reply IS NULL;--> statement-breakpoint
CREATE INDEX `permission_always` ON `permission` (`session_id`) WHERE json_extract(reply, '$.reply') = 'always';--> statement-breakpoint
CREATE TABLE `project` (
	`id` text PRIMARY KEY NOT NULL,
	`common_dir` text,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `question` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`seq` integer NOT NULL,
	`request` text NOT NULL,
	`answers` text,
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `question_session` ON `question` (`session_id`,`seq`);--> statement-breakpoint
CREATE INDEX `question_pending` ON `question` (`seq`) WHERE answers IS NULL;--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`directory` text NOT NULL,
	`updated` integer NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `session_project` ON `session` (`project_id`,`updated`);--> statement-breakpoint
CREATE INDEX `session_directory` ON `session` (`directory`,`updated`);--> statement-breakpoint
CREATE TABLE `todo` (
	`session_id` text PRIMARY KEY NOT NULL,
	`todos` text NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `turn` (
	`run_id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`started` integer NOT NULL,
	`ended` integer,
	`reason` text,
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `turn_session` ON `turn` (`session_id`);