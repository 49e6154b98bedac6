CREATE TABLE `odd_answers` (
	`kind` text PRIMARY KEY NOT NULL,
	`service` text NOT NULL,
	`method` text NOT NULL,
	`path` text NOT NULL,
	`status` integer NOT NULL,
	`basis` text NOT NULL,
	`content_type` text,
	`retry_after` text,
	`body` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`times` integer NOT NULL,
	CONSTRAINT "odd_answers_kind" CHECK(length(kind) = 64 and kind not glob '*[^0-9a-f]*'),
	CONSTRAINT "odd_answers_basis" CHECK(basis = 'status' or basis = 'type' or basis = 'words'),
	CONSTRAINT "odd_answers_times" CHECK(typeof(times) = 'integer' and times >= 1)
);
--> statement-breakpoint
CREATE INDEX `odd_answers_by_time` ON `odd_answers` (`last_seen_at`,`kind`);