CREATE TABLE `alert_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`alert_id` integer NOT NULL,
	`news` text NOT NULL,
	`receiver` text NOT NULL,
	`state` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_at` integer NOT NULL,
	`lease` text,
	`queued_at` integer NOT NULL,
	`ended_at` integer,
	`error` text,
	FOREIGN KEY (`alert_id`) REFERENCES `alerts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "alert_deliveries_id" CHECK(id <> ''),
	CONSTRAINT "alert_deliveries_news" CHECK(news = 'begun' or news = 'over'),
	CONSTRAINT "alert_deliveries_state" CHECK(state = 'queued' or state = 'delivered' or state = 'failed'),
	CONSTRAINT "alert_deliveries_tries" CHECK(typeof(tries) = 'integer' and tries >= 0),
	CONSTRAINT "alert_deliveries_ended" CHECK((state = 'queued') = (ended_at is null)),
	CONSTRAINT "alert_deliveries_lease" CHECK(lease is null or state = 'queued')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alert_deliveries_by_alert` ON `alert_deliveries` (`alert_id`,`receiver`,`news`);--> statement-breakpoint
CREATE INDEX `alert_deliveries_due` ON `alert_deliveries` (`receiver`,`next_at`) WHERE alert_deliveries.state = 'queued';--> statement-breakpoint
CREATE INDEX `alert_deliveries_made` ON `alert_deliveries` (`receiver`,`ended_at`) WHERE alert_deliveries.state = 'delivered';--> statement-breakpoint
CREATE INDEX `alert_deliveries_troubled` ON `alert_deliveries` (`receiver`) WHERE alert_deliveries.state <> 'delivered' and alert_deliveries.tries > 0;--> statement-breakpoint
CREATE TABLE `alert_watch` (
	`id` integer PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`until` integer NOT NULL,
	CONSTRAINT "alert_watch_single" CHECK(id = 1)
);
--> statement-breakpoint
CREATE TABLE `alerts` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`text` text NOT NULL,
	`remedy` text NOT NULL,
	`begun_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_open` ON `alerts` (`kind`,`subject`) WHERE alerts.ended_at is null;--> statement-breakpoint
CREATE TABLE `audit_faults` (
	`gig_id` integer PRIMARY KEY NOT NULL,
	`chain_id` integer NOT NULL,
	`is_unanswered` integer NOT NULL,
	`reason` text NOT NULL,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "audit_faults_is_unanswered" CHECK(is_unanswered in (0, 1))
);
