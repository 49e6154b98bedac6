CREATE TABLE `gig_tellings` (
	`id` integer PRIMARY KEY NOT NULL,
	`gig_id` integer NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`mention_id` integer NOT NULL,
	`asked` integer NOT NULL,
	`state` text NOT NULL,
	`told` text NOT NULL,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`mention_id`) REFERENCES `mentions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`,`platform_user_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "gig_tellings_asked" CHECK(asked in (0, 1)),
	CONSTRAINT "gig_tellings_state" CHECK(state = 'open' or state = 'off' or state = 'over'),
	CONSTRAINT "gig_tellings_told" CHECK(json_valid(told) and told glob '[[]*]')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `gig_tellings_by_owner` ON `gig_tellings` (`gig_id`,`platform`,`platform_user_id`);--> statement-breakpoint
CREATE INDEX `gig_tellings_open` ON `gig_tellings` (`id`) WHERE gig_tellings.state = 'open';--> statement-breakpoint
-- The table is built anew, because its check allows no other kind; its triggers are created again below.
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
	`worth` integer DEFAULT 2 NOT NULL,
	`follow_up` integer DEFAULT false NOT NULL,
	`held_for` text,
	`gig_id` integer,
	`event` text,
	FOREIGN KEY (`mention_id`) REFERENCES `mentions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`) REFERENCES `platforms`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "replies_kind" CHECK(kind = 'answer' or kind = 'unasked_help' or kind = 'notice'),
	CONSTRAINT "replies_state" CHECK(state = 'queued' or state = 'sending' or state = 'sent' or state = 'failed' or state = 'unknown'),
	CONSTRAINT "replies_sent" CHECK((state = 'sent') = (post_id is not null) and (post_id is null) = (sent_at is null)),
	CONSTRAINT "replies_lease" CHECK(lease is null or (state <> 'sent' and state <> 'failed')),
	CONSTRAINT "replies_follow_up" CHECK(follow_up = 0 or follow_up = 1),
	CONSTRAINT "replies_notice" CHECK((kind = 'notice') = (event is not null) and (event is null) = (gig_id is null) and (event is null or follow_up = 0)),
	CONSTRAINT "replies_event" CHECK(event = 'funded' or event = 'live' or event = 'mostly_awarded' or event = 'ended' or event = 'cancelled' or event = 'settled' or event = 'refunded'),
	CONSTRAINT "replies_held" CHECK(held_for is null or (state = 'queued' and (held_for = 'author' or held_for = 'thread' or held_for = 'first_reply')))
);
--> statement-breakpoint
INSERT INTO `__new_replies`("id", "mention_id", "platform", "author_id", "thread_id", "kind", "text", "created_at", "state", "attempts", "post_id", "sent_at", "last_error", "lease", "due_at", "worth", "follow_up", "held_for", "gig_id", "event") SELECT "id", "mention_id", "platform", "author_id", "thread_id", "kind", "text", "created_at", "state", "attempts", "post_id", "sent_at", "last_error", "lease", "due_at", "worth", "follow_up", "held_for", null, null FROM `replies`;--> statement-breakpoint
DROP TABLE `replies`;--> statement-breakpoint
ALTER TABLE `__new_replies` RENAME TO `replies`;--> statement-breakpoint
CREATE UNIQUE INDEX `replies_by_mention` ON `replies` (`mention_id`,`follow_up`) WHERE replies.event is null;--> statement-breakpoint
CREATE UNIQUE INDEX `replies_by_event` ON `replies` (`gig_id`,`event`,`platform`,`author_id`) WHERE replies.event is not null;--> statement-breakpoint
CREATE INDEX `replies_telling` ON `replies` (`mention_id`) WHERE replies.event is not null;--> statement-breakpoint
CREATE INDEX `replies_due` ON `replies` (`platform`,`worth`,`due_at`) WHERE replies.state <> 'sent' and replies.state <> 'failed';--> statement-breakpoint
CREATE INDEX `replies_by_sending` ON `replies` (`platform`,`sent_at`) WHERE replies.sent_at is not null;--> statement-breakpoint
CREATE INDEX `replies_by_author` ON `replies` (`platform`,`author_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `replies_sent_to_author` ON `replies` (`platform`,`author_id`,`sent_at`) WHERE replies.sent_at is not null;--> statement-breakpoint
CREATE INDEX `replies_sent_in_thread` ON `replies` (`platform`,`thread_id`,`sent_at`) WHERE replies.sent_at is not null;--> statement-breakpoint
CREATE INDEX `replies_open_to_author` ON `replies` (`platform`,`author_id`) WHERE replies.state <> 'sent' and replies.state <> 'failed';--> statement-breakpoint
CREATE INDEX `replies_open_in_thread` ON `replies` (`platform`,`thread_id`) WHERE replies.state <> 'sent' and replies.state <> 'failed';--> statement-breakpoint
CREATE INDEX `replies_unposted` ON `replies` (`platform`,`author_id`) WHERE (replies.held_for is not null or replies.state = 'failed');--> statement-breakpoint
CREATE INDEX `replies_by_post` ON `replies` (`platform`,`post_id`);--> statement-breakpoint
CREATE INDEX `replies_by_state` ON `replies` (`state`);--> statement-breakpoint
CREATE TRIGGER replies_count_insert AFTER INSERT ON replies
BEGIN
	INSERT INTO state_counts (subject, state, n) VALUES ('replies', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER replies_count_update AFTER UPDATE OF state ON replies WHEN OLD.state <> NEW.state
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'replies' AND state = OLD.state;
	INSERT INTO state_counts (subject, state, n) VALUES ('replies', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER replies_count_delete AFTER DELETE ON replies
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'replies' AND state = OLD.state;
END;
