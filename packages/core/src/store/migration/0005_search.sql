CREATE TABLE `search` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`damaged` integer NOT NULL,
	`ceiling` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `search_pending` (
	`seq` integer PRIMARY KEY NOT NULL
);
