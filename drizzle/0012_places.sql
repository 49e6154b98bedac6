-- The order of these rows was that of their rowids, which no other engine has: each becomes the place of its row. The tables are
-- built anew, and the trigger of one of them is created again below.
CREATE TABLE `__new_gig_owners` (
	`place` integer PRIMARY KEY NOT NULL,
	`gig_id` integer NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`added_by` integer,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`added_by`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`,`platform_user_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_gig_owners`("place", "gig_id", "platform", "platform_user_id", "created_at", "added_by") SELECT rowid, "gig_id", "platform", "platform_user_id", "created_at", "added_by" FROM `gig_owners` ORDER BY rowid;--> statement-breakpoint
DROP TABLE `gig_owners`;--> statement-breakpoint
ALTER TABLE `__new_gig_owners` RENAME TO `gig_owners`;--> statement-breakpoint
CREATE UNIQUE INDEX `gig_owners_by_account` ON `gig_owners` (`gig_id`,`platform`,`platform_user_id`);--> statement-breakpoint
CREATE TABLE `__new_alert_deliveries` (
	`place` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
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
INSERT INTO `__new_alert_deliveries`("place", "id", "alert_id", "news", "receiver", "state", "tries", "next_at", "lease", "queued_at", "ended_at", "error") SELECT rowid, "id", "alert_id", "news", "receiver", "state", "tries", "next_at", "lease", "queued_at", "ended_at", "error" FROM `alert_deliveries` ORDER BY rowid;--> statement-breakpoint
DROP TABLE `alert_deliveries`;--> statement-breakpoint
ALTER TABLE `__new_alert_deliveries` RENAME TO `alert_deliveries`;--> statement-breakpoint
CREATE UNIQUE INDEX `alert_deliveries_by_id` ON `alert_deliveries` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `alert_deliveries_by_alert` ON `alert_deliveries` (`alert_id`,`receiver`,`news`);--> statement-breakpoint
CREATE INDEX `alert_deliveries_due` ON `alert_deliveries` (`receiver`,`next_at`) WHERE alert_deliveries.state = 'queued';--> statement-breakpoint
CREATE INDEX `alert_deliveries_made` ON `alert_deliveries` (`receiver`,`ended_at`) WHERE alert_deliveries.state = 'delivered';--> statement-breakpoint
CREATE INDEX `alert_deliveries_troubled` ON `alert_deliveries` (`receiver`) WHERE alert_deliveries.state <> 'delivered' and alert_deliveries.tries > 0;--> statement-breakpoint
CREATE TABLE `__new_tank_attempts` (
	`place` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`transaction_id` integer NOT NULL,
	`raw` text NOT NULL,
	`max_fee_per_gas` text NOT NULL,
	`max_priority_fee_per_gas` text NOT NULL,
	`gas` text NOT NULL,
	`signed_at` integer NOT NULL,
	FOREIGN KEY (`transaction_id`) REFERENCES `tank_transactions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tank_attempts_hash" CHECK(length(hash) = 66 and hash glob '0x*' and substr(hash, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "tank_attempts_raw" CHECK(length(raw) > 2 and length(raw) % 2 = 0 and raw glob '0x*' and substr(raw, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "tank_attempts_max_fee" CHECK(max_fee_per_gas <> '' and max_fee_per_gas not glob '*[^0-9]*'),
	CONSTRAINT "tank_attempts_priority_fee" CHECK(max_priority_fee_per_gas <> '' and max_priority_fee_per_gas not glob '*[^0-9]*'),
	CONSTRAINT "tank_attempts_gas" CHECK(gas <> '' and gas not glob '*[^0-9]*')
);
--> statement-breakpoint
INSERT INTO `__new_tank_attempts`("place", "hash", "transaction_id", "raw", "max_fee_per_gas", "max_priority_fee_per_gas", "gas", "signed_at") SELECT rowid, "hash", "transaction_id", "raw", "max_fee_per_gas", "max_priority_fee_per_gas", "gas", "signed_at" FROM `tank_attempts` ORDER BY rowid;--> statement-breakpoint
DROP TABLE `tank_attempts`;--> statement-breakpoint
ALTER TABLE `__new_tank_attempts` RENAME TO `tank_attempts`;--> statement-breakpoint
CREATE UNIQUE INDEX `tank_attempts_by_hash` ON `tank_attempts` (`hash`);--> statement-breakpoint
CREATE INDEX `tank_attempts_by_transaction` ON `tank_attempts` (`transaction_id`);--> statement-breakpoint
-- The bytes may be in a node's hands: only they tell which transaction spent the nonce.
CREATE TRIGGER tank_attempts_no_update
BEFORE UPDATE ON tank_attempts
BEGIN
	SELECT RAISE(ABORT, 'signed bytes cannot be changed');
END;
