CREATE TABLE `owner_sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`label` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	CONSTRAINT "owner_sessions_hash" CHECK(length(hash) = 64 and hash not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE INDEX `owner_sessions_by_owner` ON `owner_sessions` (`owner`);--> statement-breakpoint
CREATE INDEX `owner_sessions_by_expiry` ON `owner_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sign_ins` (
	`hash` text PRIMARY KEY NOT NULL,
	`browser` text NOT NULL,
	`way` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	CONSTRAINT "sign_ins_hash" CHECK(length(hash) = 64 and hash not glob '*[^0-9a-f]*'),
	CONSTRAINT "sign_ins_browser" CHECK(length(browser) = 64 and browser not glob '*[^0-9a-f]*'),
	CONSTRAINT "sign_ins_way" CHECK(way in ('farcaster', 'wallet'))
);
--> statement-breakpoint
CREATE INDEX `sign_ins_by_expiry` ON `sign_ins` (`expires_at`);--> statement-breakpoint
CREATE INDEX `gig_owners_gigs` ON `gig_owners` (`platform`,`platform_user_id`,`gig_id`);--> statement-breakpoint
-- A column is added, because a table that is built anew would lose its triggers and the last id of a gig.
ALTER TABLE `gigs` ADD `owners_may_award` integer DEFAULT false NOT NULL CONSTRAINT "gigs_owners_may_award" CHECK(owners_may_award in (0, 1));--> statement-breakpoint
DROP TRIGGER gigs_live_no_update;--> statement-breakpoint
CREATE TRIGGER gigs_live_no_update
BEFORE UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days, start, title,
	owners_may_award
ON gigs WHEN OLD.status = 'live'
BEGIN
	SELECT RAISE(ABORT, 'a live gig cannot be changed');
END;
--> statement-breakpoint
DROP TRIGGER gigs_cancelled_no_update;--> statement-breakpoint
CREATE TRIGGER gigs_cancelled_no_update
BEFORE UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days, start, title,
	owners_may_award, start_lock_holder, cancelled_at
ON gigs WHEN OLD.cancelled_at IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'a cancelled gig cannot be changed');
END;
--> statement-breakpoint
-- SQLite would write the audit trail anew for another constraint. Its text is edited instead, in the way that SQLite describes: no
-- row changes, and the new tables above have other connections read the schema again.
PRAGMA writable_schema = ON;--> statement-breakpoint
UPDATE sqlite_schema SET sql = replace(sql, 'CONSTRAINT "audit_events_actor" CHECK(actor in (''api_key'', ''account'', ''operator'', ''job''))',
	'CONSTRAINT "audit_events_actor" CHECK(actor in (''api_key'', ''account'', ''owner'', ''operator'', ''job''))')
	WHERE type = 'table' AND name = 'audit_events';--> statement-breakpoint
PRAGMA writable_schema = RESET;--> statement-breakpoint
-- Fails, and so undoes all of it, unless the table has its new constraint.
CREATE TABLE `__edited` (`tables` integer CHECK(tables = 1));--> statement-breakpoint
INSERT INTO `__edited` SELECT count(*) FROM sqlite_schema
	WHERE type = 'table' AND name = 'audit_events' AND instr(sql, '(''api_key'', ''account'', ''owner'', ''operator'', ''job'')') > 0;--> statement-breakpoint
DROP TABLE `__edited`;
