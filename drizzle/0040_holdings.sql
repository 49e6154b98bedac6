CREATE TABLE `entries` (
	`gig_id` integer NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`joined_at` integer NOT NULL,
	`entered_at` integer,
	`slot` integer,
	`entry_amount` text,
	`entry_block` integer,
	`entry_hash` text,
	`last_amount` text,
	`last_block` integer,
	`last_hash` text,
	`counted` integer DEFAULT 0 NOT NULL,
	`unknown_since` integer,
	PRIMARY KEY(`gig_id`, `platform`, `platform_user_id`),
	FOREIGN KEY (`gig_id`,`platform`,`platform_user_id`) REFERENCES `earnings`(`gig_id`,`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "entries_state" CHECK(state = 'joined' or state = 'entered' or state = 'told'),
	CONSTRAINT "entries_entered" CHECK(state <> 'entered' or (slot is not null and entry_amount is not null)),
	CONSTRAINT "entries_entry" CHECK((entry_amount is null) = (entry_block is null) and (entry_amount is null) = (entry_hash is null)),
	CONSTRAINT "entries_last" CHECK((last_amount is null) = (last_block is null) and (last_amount is null) = (last_hash is null)),
	CONSTRAINT "entries_entry_amount" CHECK(entry_amount <> '' and entry_amount not glob '*[^0-9]*'),
	CONSTRAINT "entries_last_amount" CHECK(last_amount <> '' and last_amount not glob '*[^0-9]*'),
	CONSTRAINT "entries_entry_hash" CHECK(length(entry_hash) = 66 and entry_hash glob '0x*' and substr(entry_hash, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "entries_last_hash" CHECK(length(last_hash) = 66 and last_hash glob '0x*' and substr(last_hash, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "entries_counted" CHECK(typeof(counted) = 'integer' and counted >= 0)
);--> statement-breakpoint
CREATE INDEX `entries_due` ON `entries` (`gig_id`,`due_at`,`platform`,`platform_user_id`) WHERE entries.state <> 'told';--> statement-breakpoint
CREATE INDEX `entries_in_slot` ON `entries` (`gig_id`,`slot`,`platform`,`platform_user_id`) WHERE entries.state <> 'told';--> statement-breakpoint
CREATE TABLE `entry_addresses` (
	`gig_id` integer NOT NULL,
	`address` text NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	PRIMARY KEY(`gig_id`, `address`),
	FOREIGN KEY (`gig_id`,`platform`,`platform_user_id`) REFERENCES `earnings`(`gig_id`,`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "entry_addresses_address" CHECK(length(address) = 42 and address glob '0x*' and substr(address, 3) not glob '*[^0-9a-f]*')
);--> statement-breakpoint
CREATE INDEX `entry_addresses_by_account` ON `entry_addresses` (`gig_id`,`platform`,`platform_user_id`);--> statement-breakpoint
CREATE TABLE `entry_draws` (
	`gig_id` integer NOT NULL,
	`slot` integer NOT NULL,
	`begun_block` integer NOT NULL,
	`begun_hash` text NOT NULL,
	`not_before` integer NOT NULL,
	`drawn_at` integer NOT NULL,
	PRIMARY KEY(`gig_id`, `slot`),
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "entry_draws_hash" CHECK(length(begun_hash) = 66 and begun_hash glob '0x*' and substr(begun_hash, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "entry_draws_time" CHECK(not_before > slot)
);--> statement-breakpoint
ALTER TABLE `watches` ADD `entry_secret` text CONSTRAINT "watches_entry_secret" CHECK(length(entry_secret) = 64 and entry_secret not glob '*[^0-9a-f]*');--> statement-breakpoint
-- SQLite would write each table anew for another constraint, which drops its triggers. Its text is edited instead: no row changes, and
-- the new tables above have other connections read the schema again.
PRAGMA writable_schema = ON;--> statement-breakpoint
UPDATE sqlite_schema SET sql = replace(sql, 'reason = ''duplicate_text'' or reason = ''reward_used_up''',
	'reason = ''duplicate_text'' or reason = ''too_little_held'' or reason = ''reward_used_up''')
	WHERE type = 'table' AND name = 'earnings';--> statement-breakpoint
UPDATE sqlite_schema SET sql = replace(sql, 'reason = ''duplicate_text'' or reason = ''reward_used_up''',
	'reason = ''duplicate_text'' or reason = ''too_little_held'' or reason = ''reward_used_up''')
	WHERE type = 'table' AND name = 'evaluations';--> statement-breakpoint
UPDATE sqlite_schema SET sql = replace(sql, 'kind = ''follow'' or kind = ''submission'')',
	'kind = ''follow'' or kind = ''submission'' or kind = ''join'')')
	WHERE type = 'table' AND name = 'observations';--> statement-breakpoint
UPDATE sqlite_schema SET sql = replace(sql, 'kind = ''recast'' or kind = ''follow''))',
	'kind = ''recast'' or kind = ''follow'' or kind = ''join''))')
	WHERE type = 'table' AND name = 'observations';--> statement-breakpoint
PRAGMA writable_schema = RESET;--> statement-breakpoint
-- Fails, and so undoes all of it, unless each of the three tables has its new values.
CREATE TABLE `__edited` (`tables` integer CHECK(tables = 3));--> statement-breakpoint
INSERT INTO `__edited` SELECT count(*) FROM sqlite_schema
	WHERE type = 'table' AND (name IN ('earnings', 'evaluations') AND sql LIKE '%reason = ''too_little_held''%'
	OR name = 'observations' AND sql LIKE '%''submission'' or kind = ''join'')%' AND sql LIKE '%''follow'' or kind = ''join''))%');--> statement-breakpoint
DROP TABLE `__edited`;