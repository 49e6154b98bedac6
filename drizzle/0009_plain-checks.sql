PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_mentions` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`platform` text NOT NULL,
	`post_id` text NOT NULL,
	`reply_to` text NOT NULL,
	`thread_id` text NOT NULL,
	`author_id` text NOT NULL,
	`author_username` text,
	`text` text NOT NULL,
	`posted_at` integer NOT NULL,
	`received_at` integer NOT NULL,
	`source` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`silence` text,
	`last_error` text,
	`lease` text,
	`due_at` integer NOT NULL,
	FOREIGN KEY (`platform`,`author_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "mentions_platform" CHECK(platform in ('farcaster', 'twitter')),
	CONSTRAINT "mentions_source" CHECK(source in ('webhook', 'poll')),
	CONSTRAINT "mentions_state" CHECK(state = 'received' or state = 'answered' or state = 'ignored' or state = 'failed'),
	CONSTRAINT "mentions_silence" CHECK(silence = 'opted_out' or silence = 'author_limit' or silence = 'thread_limit' or silence = 'help_already_given' or silence = 'gave_up'),
	CONSTRAINT "mentions_lease" CHECK(lease is null or state = 'received')
);
--> statement-breakpoint
INSERT INTO `__new_mentions`("id", "version", "platform", "post_id", "reply_to", "thread_id", "author_id", "author_username", "text", "posted_at", "received_at", "source", "state", "attempts", "silence", "last_error", "lease", "due_at") SELECT "id", "version", "platform", "post_id", "reply_to", "thread_id", "author_id", "author_username", "text", "posted_at", "received_at", "source", "state", "attempts", "silence", "last_error", "lease", "due_at" FROM `mentions`;--> statement-breakpoint
DROP TABLE `mentions`;--> statement-breakpoint
ALTER TABLE `__new_mentions` RENAME TO `mentions`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `mentions_by_post` ON `mentions` (`platform`,`post_id`);--> statement-breakpoint
CREATE INDEX `mentions_due` ON `mentions` (`platform`,`due_at`) WHERE mentions.state = 'received';--> statement-breakpoint
CREATE INDEX `mentions_waiting_by_author` ON `mentions` (`platform`,`author_id`) WHERE mentions.state = 'received';--> statement-breakpoint
CREATE INDEX `mentions_by_state` ON `mentions` (`state`);--> statement-breakpoint
CREATE TABLE `__new_replies` (
	`id` integer PRIMARY KEY NOT NULL,
	`mention_id` integer NOT NULL,
	`platform` text NOT NULL,
	`author_id` text NOT NULL,
	`thread_id` text NOT NULL,
	`kind` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`post_id` text,
	`sent_at` integer,
	`last_error` text,
	`lease` text,
	`due_at` integer NOT NULL,
	FOREIGN KEY (`mention_id`) REFERENCES `mentions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "replies_platform" CHECK(platform in ('farcaster', 'twitter')),
	CONSTRAINT "replies_kind" CHECK(kind in ('answer', 'unasked_help')),
	CONSTRAINT "replies_state" CHECK(state = 'queued' or state = 'sending' or state = 'sent' or state = 'failed' or state = 'unknown'),
	CONSTRAINT "replies_sent" CHECK((state = 'sent') = (post_id is not null) and (post_id is null) = (sent_at is null)),
	CONSTRAINT "replies_lease" CHECK(lease is null or (state <> 'sent' and state <> 'failed'))
);
--> statement-breakpoint
INSERT INTO `__new_replies`("id", "mention_id", "platform", "author_id", "thread_id", "kind", "text", "created_at", "state", "attempts", "post_id", "sent_at", "last_error", "lease", "due_at") SELECT "id", "mention_id", "platform", "author_id", "thread_id", "kind", "text", "created_at", "state", "attempts", "post_id", "sent_at", "last_error", "lease", "due_at" FROM `replies`;--> statement-breakpoint
DROP TABLE `replies`;--> statement-breakpoint
ALTER TABLE `__new_replies` RENAME TO `replies`;--> statement-breakpoint
CREATE UNIQUE INDEX `replies_by_mention` ON `replies` (`mention_id`);--> statement-breakpoint
CREATE INDEX `replies_due` ON `replies` (`platform`,`due_at`) WHERE replies.state <> 'sent' and replies.state <> 'failed';--> statement-breakpoint
CREATE INDEX `replies_by_author` ON `replies` (`platform`,`author_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `replies_by_thread` ON `replies` (`platform`,`thread_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `replies_by_post` ON `replies` (`platform`,`post_id`);--> statement-breakpoint
CREATE INDEX `replies_by_state` ON `replies` (`state`);