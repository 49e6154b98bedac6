-- Added, not rebuilt: the rows stay where they are, and other columns may be added before or after these.
ALTER TABLE `replies` ADD `follow_up` integer DEFAULT false NOT NULL CONSTRAINT "replies_follow_up" CHECK(follow_up = 0 or follow_up = 1);--> statement-breakpoint
ALTER TABLE `replies` ADD `held_for` text CONSTRAINT "replies_held" CHECK(held_for is null or (state = 'queued' and (held_for = 'author' or held_for = 'thread' or held_for = 'first_reply')));--> statement-breakpoint
DROP INDEX `replies_by_mention`;--> statement-breakpoint
CREATE UNIQUE INDEX `replies_by_mention` ON `replies` (`mention_id`,`follow_up`);--> statement-breakpoint
DROP INDEX `replies_by_thread`;--> statement-breakpoint
CREATE INDEX `replies_sent_to_author` ON `replies` (`platform`,`author_id`,`sent_at`) WHERE replies.sent_at is not null;--> statement-breakpoint
CREATE INDEX `replies_sent_in_thread` ON `replies` (`platform`,`thread_id`,`sent_at`) WHERE replies.sent_at is not null;--> statement-breakpoint
CREATE INDEX `replies_open_to_author` ON `replies` (`platform`,`author_id`) WHERE replies.state <> 'sent' and replies.state <> 'failed';--> statement-breakpoint
CREATE INDEX `replies_open_in_thread` ON `replies` (`platform`,`thread_id`) WHERE replies.state <> 'sent' and replies.state <> 'failed';--> statement-breakpoint
CREATE INDEX `replies_unposted` ON `replies` (`platform`,`author_id`) WHERE (replies.held_for is not null or replies.state = 'failed');--> statement-breakpoint
ALTER TABLE `claims` ADD `promised_to` integer REFERENCES mentions(id);--> statement-breakpoint
CREATE INDEX `claims_promised` ON `claims` (`id`) WHERE claims.promised_to is not null;
