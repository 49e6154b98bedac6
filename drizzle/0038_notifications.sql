CREATE TABLE `notification_reader` (
	`id` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	CONSTRAINT "notification_reader_single" CHECK(id = 1),
	CONSTRAINT "notification_reader_seq" CHECK(typeof(seq) = 'integer' and seq >= 0)
);
--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` integer PRIMARY KEY NOT NULL,
	`uuid` text NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`kind` text NOT NULL,
	`gig_id` integer NOT NULL,
	`subject_id` integer NOT NULL,
	`reason` text,
	`amount` text NOT NULL,
	`count` integer NOT NULL,
	`state` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_at` integer NOT NULL,
	`lease` text,
	`queued_at` integer NOT NULL,
	`tried_at` integer,
	`ended_at` integer,
	`error` text,
	`title` text,
	`body` text,
	FOREIGN KEY (`platform`) REFERENCES `platforms`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notifications_uuid" CHECK(uuid <> ''),
	CONSTRAINT "notifications_user_id" CHECK(platform_user_id not glob '*[^0-9]*' and platform_user_id not glob '0?*' and platform_user_id <> ''),
	CONSTRAINT "notifications_kind" CHECK(kind = 'tips' or kind = 'paid' or kind = 'not_paid' or kind = 'refused' or kind = 'not_drawn' or kind = 'funded' or kind = 'not_started' or kind = 'live' or kind = 'ended' or kind = 'submissions'),
	CONSTRAINT "notifications_state" CHECK(state = 'queued' or state = 'sent' or state = 'unreached' or state = 'failed' or state = 'dropped'),
	CONSTRAINT "notifications_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*'),
	CONSTRAINT "notifications_count" CHECK(typeof(count) = 'integer' and count >= 1),
	CONSTRAINT "notifications_tries" CHECK(typeof(tries) = 'integer' and tries >= 0),
	CONSTRAINT "notifications_tried_at" CHECK((tries = 0) = (tried_at is null)),
	CONSTRAINT "notifications_ended_at" CHECK((state = 'queued') = (ended_at is null)),
	CONSTRAINT "notifications_lease" CHECK(lease is null or state = 'queued' and tries > 0),
	CONSTRAINT "notifications_text" CHECK((title is null) = (tries = 0) and (body is null) = (title is null)),
	CONSTRAINT "notifications_length" CHECK(title is null or length(title) <= 32 and length(body) <= 128)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_by_uuid` ON `notifications` (`uuid`);--> statement-breakpoint
CREATE INDEX `notifications_due` ON `notifications` (`next_at`,`id`) WHERE notifications.state = 'queued';--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_unsent` ON `notifications` (`platform`,`platform_user_id`,`kind`,`subject_id`) WHERE notifications.state = 'queued' and notifications.tries = 0;--> statement-breakpoint
CREATE INDEX `notifications_tried` ON `notifications` (`platform`,`platform_user_id`,`tried_at`) WHERE notifications.tried_at is not null;--> statement-breakpoint
CREATE INDEX `notifications_ended` ON `notifications` (`ended_at`,`state`) WHERE notifications.ended_at is not null;--> statement-breakpoint
CREATE INDEX `notifications_failed` ON `notifications` (`ended_at`) WHERE notifications.state = 'failed';--> statement-breakpoint
ALTER TABLE `accounts` ADD `notifications_off_at` integer;