CREATE TABLE `spend` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`project_id` text,
	`time` integer NOT NULL,
	`agent` text NOT NULL,
	`provider_id` text NOT NULL,
	`model_id` text NOT NULL,
	`calls` integer NOT NULL,
	`input` integer NOT NULL,
	`output` integer NOT NULL,
	`reasoning` integer NOT NULL,
	`cache_read` integer NOT NULL,
	`cache_write` integer NOT NULL,
	`cost` real NOT NULL,
	`unpriced` integer NOT NULL,
	`tool_tokens` text
);
--> statement-breakpoint
CREATE INDEX `spend_session` ON `spend` (`session_id`);--> statement-breakpoint
CREATE INDEX `spend_time` ON `spend` (`time`);--> statement-breakpoint
CREATE TABLE `tool_call` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`tool` text NOT NULL,
	`ended` integer,
	`failed` integer,
	`bytes` integer,
	`media` integer,
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `tool_call_session` ON `tool_call` (`session_id`);--> statement-breakpoint
ALTER TABLE `session` ADD `parent_id` text;--> statement-breakpoint
CREATE INDEX `session_parent` ON `session` (`parent_id`) WHERE parent_id IS NOT NULL;--> statement-breakpoint
UPDATE session SET parent_id = json_extract(data, '$.parentID') WHERE json_valid(data);
--> statement-breakpoint
INSERT INTO spend (id, session_id, time, agent, provider_id, model_id, calls, input, output, reasoning, cache_read, cache_write, cost, unpriced)
SELECT session_id || '_' || id, session_id, json_extract(data, '$.time.completed'), json_extract(data, '$.agent'), json_extract(data, '$.providerID'),
  json_extract(data, '$.modelID'), 1, json_extract(data, '$.tokens.input'), json_extract(data, '$.tokens.output'),
  json_extract(data, '$.tokens.reasoning'), json_extract(data, '$.tokens.cache.read'), json_extract(data, '$.tokens.cache.write'),
  json_extract(data, '$.cost'), 0
FROM message
WHERE CASE WHEN json_valid(data) THEN json_extract(data, '$.role') END = 'assistant' AND json_extract(data, '$.time.completed') IS NOT NULL
  AND (json_extract(data, '$.tokens.input') > 0 OR json_extract(data, '$.tokens.output') > 0 OR json_extract(data, '$.tokens.reasoning') > 0
    OR json_extract(data, '$.tokens.cache.read') > 0 OR json_extract(data, '$.tokens.cache.write') > 0)
ORDER BY seq;
--> statement-breakpoint
INSERT INTO tool_call (id, session_id, tool, ended, failed, bytes, media)
SELECT session_id || '_' || id, session_id, json_extract(data, '$.tool'), json_extract(data, '$.state.time.end'),
  CASE json_extract(data, '$.state.status') WHEN 'completed' THEN 0 WHEN 'error' THEN 1 END,
  length(CAST(coalesce(json_extract(data, '$.state.output'), json_extract(data, '$.state.error')) AS BLOB)),
  CASE WHEN json_extract(data, '$.state.time.end') IS NOT NULL THEN coalesce(json_array_length(data, '$.state.attachments'), 0) END
FROM part
WHERE CASE WHEN json_valid(data) THEN json_extract(data, '$.type') END = 'tool'
ORDER BY seq;
