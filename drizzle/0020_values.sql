CREATE TABLE `gig_events` (
	`id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `gig_types` (
	`id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `payment_kinds` (
	`id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
INSERT INTO gig_events (id) VALUES ('funded'), ('live'), ('mostly_awarded'), ('ended'), ('cancelled'), ('settled'), ('refunded');--> statement-breakpoint
INSERT INTO gig_types (id) VALUES ('mention'), ('like'), ('recast'), ('boost'), ('reply'), ('follow'), ('custom_bounty');--> statement-breakpoint
INSERT INTO payment_kinds (id) VALUES ('payout'), ('fee'), ('mark'), ('refund'), ('return');--> statement-breakpoint
-- SQLite would write each table anew for another constraint, which drops its triggers and forgets the ids of gigs. Its text is edited
-- instead, in the way that SQLite describes: no row changes, and the new tables above have other connections read the schema again.
PRAGMA writable_schema = ON;--> statement-breakpoint
UPDATE sqlite_schema SET sql = replace(sql, 'CONSTRAINT "gigs_type" CHECK(gig_type in (''mention'', ''like'', ''recast'', ''boost'', ''reply'', ''follow'', ''custom_bounty''))',
	'FOREIGN KEY (`gig_type`) REFERENCES `gig_types`(`id`)')
	WHERE type = 'table' AND name = 'gigs';--> statement-breakpoint
UPDATE sqlite_schema SET sql = replace(sql, 'CONSTRAINT "payments_kind" CHECK(kind in (''payout'', ''fee'', ''mark'', ''refund'', ''return''))',
	'FOREIGN KEY (`kind`) REFERENCES `payment_kinds`(`id`)')
	WHERE type = 'table' AND name = 'payments';--> statement-breakpoint
UPDATE sqlite_schema SET sql = replace(sql, 'CONSTRAINT "replies_event" CHECK(event = ''funded'' or event = ''live'' or event = ''mostly_awarded'' or event = ''ended'' or event = ''cancelled'' or event = ''settled'' or event = ''refunded'')',
	'FOREIGN KEY (`event`) REFERENCES `gig_events`(`id`)')
	WHERE type = 'table' AND name = 'replies';--> statement-breakpoint
PRAGMA writable_schema = RESET;--> statement-breakpoint
-- Fails, and so undoes all of it, unless each of the three tables has its new reference.
CREATE TABLE `__edited` (`tables` integer CHECK(tables = 3));--> statement-breakpoint
INSERT INTO `__edited` SELECT count(*) FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f
	WHERE t.schema = 'main' AND f."table" IN ('gig_events', 'gig_types', 'payment_kinds');--> statement-breakpoint
DROP TABLE `__edited`;
