CREATE TABLE `blocked_accounts` (
	`id` integer PRIMARY KEY NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`blocked_at` integer NOT NULL,
	`reason` text NOT NULL,
	FOREIGN KEY (`platform`) REFERENCES `platforms`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "blocked_accounts_user_id" CHECK(platform_user_id not glob '*[^0-9]*' and platform_user_id not glob '0?*' and platform_user_id <> '')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `blocked_accounts_by_account` ON `blocked_accounts` (`platform`,`platform_user_id`);--> statement-breakpoint
CREATE TABLE `earning_addresses` (
	`gig_id` integer NOT NULL,
	`address` text NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	PRIMARY KEY(`gig_id`, `address`),
	FOREIGN KEY (`gig_id`,`platform`,`platform_user_id`) REFERENCES `earnings`(`gig_id`,`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "earning_addresses_address" CHECK(length(address) = 42 and address glob '0x*' and substr(address, 3) not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE INDEX `earning_addresses_by_account` ON `earning_addresses` (`gig_id`,`platform`,`platform_user_id`);--> statement-breakpoint
CREATE TABLE `earning_counts` (
	`gig_id` integer NOT NULL,
	`state` text NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`gig_id`, `state`),
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "earning_counts_n" CHECK(typeof(n) = 'integer' and n >= 0)
);
--> statement-breakpoint
CREATE TABLE `earning_rules` (
	`gig_id` integer PRIMARY KEY NOT NULL,
	`given` text,
	`rules` text NOT NULL,
	`target_kind` text NOT NULL,
	`target_id` text NOT NULL,
	`target_author` text,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "earning_rules_target_kind" CHECK(target_kind = 'post' or target_kind = 'account' or target_kind = 'keyword'),
	CONSTRAINT "earning_rules_target" CHECK(target_id <> '' and (target_kind = 'post') = (target_author is not null)),
	CONSTRAINT "earning_rules_given" CHECK(given is null or json_valid(given)),
	CONSTRAINT "earning_rules_rules" CHECK(json_valid(rules))
);
--> statement-breakpoint
CREATE TABLE `earning_texts` (
	`gig_id` integer NOT NULL,
	`hash` text NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	PRIMARY KEY(`gig_id`, `hash`),
	FOREIGN KEY (`gig_id`,`platform`,`platform_user_id`) REFERENCES `earnings`(`gig_id`,`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "earning_texts_hash" CHECK(length(hash) = 64 and hash not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE INDEX `earning_texts_by_account` ON `earning_texts` (`gig_id`,`platform`,`platform_user_id`);--> statement-breakpoint
CREATE TABLE `earnings` (
	`gig_id` integer NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`observation_id` integer NOT NULL,
	`ranked_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`facts` text,
	`amount` text,
	`tip_id` integer,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`gig_id`, `platform`, `platform_user_id`),
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`) REFERENCES `platforms`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`observation_id`) REFERENCES `observations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tip_id`) REFERENCES `tips`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "earnings_user_id" CHECK(platform_user_id not glob '*[^0-9]*' and platform_user_id not glob '0?*' and platform_user_id <> ''),
	CONSTRAINT "earnings_state" CHECK(state = 'held' or state = 'eligible' or state = 'awarded' or state = 'refused'),
	CONSTRAINT "earnings_refused" CHECK((state = 'refused') = (reason is not null)),
	CONSTRAINT "earnings_reason" CHECK(reason = 'before_start' or reason = 'after_end' or reason = 'own_account' or reason = 'blocked' or reason = 'withdrawn' or reason = 'account_gone' or reason = 'score_unknown' or reason = 'score_too_low' or reason = 'too_young' or reason = 'too_few_followers' or reason = 'labelled_spam' or reason = 'no_verified_address' or reason = 'same_address' or reason = 'text_too_short' or reason = 'duplicate_text' or reason = 'reward_used_up' or reason = 'share_too_small' or reason = 'not_drawn' or reason = 'verifier_refused' or reason = 'not_decided'),
	CONSTRAINT "earnings_awarded" CHECK((state = 'awarded') = (tip_id is not null) and (tip_id is null) = (amount is null)),
	CONSTRAINT "earnings_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*'),
	CONSTRAINT "earnings_facts" CHECK(facts is null or json_valid(facts))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `earnings_by_tip` ON `earnings` (`tip_id`) WHERE earnings.tip_id is not null;--> statement-breakpoint
CREATE INDEX `earnings_held` ON `earnings` (`gig_id`,`ranked_at`,`observation_id`,`due_at`) WHERE earnings.state = 'held';--> statement-breakpoint
CREATE INDEX `earnings_held_due` ON `earnings` (`gig_id`,`due_at`) WHERE earnings.state = 'held';--> statement-breakpoint
CREATE INDEX `earnings_eligible` ON `earnings` (`gig_id`,`ranked_at`,`observation_id`) WHERE earnings.state = 'eligible';--> statement-breakpoint
CREATE INDEX `earnings_by_gig` ON `earnings` (`gig_id`,`observation_id`);--> statement-breakpoint
CREATE INDEX `earnings_by_state` ON `earnings` (`gig_id`,`state`,`observation_id`);--> statement-breakpoint
CREATE INDEX `earnings_by_account` ON `earnings` (`platform`,`platform_user_id`,`observation_id`) WHERE earnings.state <> 'awarded';--> statement-breakpoint
CREATE TABLE `evaluations` (
	`id` integer PRIMARY KEY NOT NULL,
	`gig_id` integer NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`at` integer NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`facts` text,
	`amount` text,
	FOREIGN KEY (`gig_id`,`platform`,`platform_user_id`) REFERENCES `earnings`(`gig_id`,`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "evaluations_state" CHECK(state = 'held' or state = 'eligible' or state = 'awarded' or state = 'refused'),
	CONSTRAINT "evaluations_refused" CHECK((state = 'refused') = (reason is not null)),
	CONSTRAINT "evaluations_reason" CHECK(reason = 'before_start' or reason = 'after_end' or reason = 'own_account' or reason = 'blocked' or reason = 'withdrawn' or reason = 'account_gone' or reason = 'score_unknown' or reason = 'score_too_low' or reason = 'too_young' or reason = 'too_few_followers' or reason = 'labelled_spam' or reason = 'no_verified_address' or reason = 'same_address' or reason = 'text_too_short' or reason = 'duplicate_text' or reason = 'reward_used_up' or reason = 'share_too_small' or reason = 'not_drawn' or reason = 'verifier_refused' or reason = 'not_decided'),
	CONSTRAINT "evaluations_awarded" CHECK((state = 'awarded') = (amount is not null)),
	CONSTRAINT "evaluations_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*'),
	CONSTRAINT "evaluations_facts" CHECK(facts is null or json_valid(facts))
);
--> statement-breakpoint
CREATE INDEX `evaluations_by_account` ON `evaluations` (`gig_id`,`platform`,`platform_user_id`);--> statement-breakpoint
CREATE TABLE `observations` (
	`id` integer PRIMARY KEY NOT NULL,
	`gig_id` integer NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`kind` text NOT NULL,
	`object_id` text NOT NULL,
	`acted_at` integer,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`ranked_at` integer NOT NULL,
	`source` text NOT NULL,
	`undone_at` integer,
	`text_hash` text,
	`letters` integer,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`) REFERENCES `platforms`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "observations_user_id" CHECK(platform_user_id not glob '*[^0-9]*' and platform_user_id not glob '0?*' and platform_user_id <> ''),
	CONSTRAINT "observations_kind" CHECK(kind = 'like' or kind = 'recast' or kind = 'quote' or kind = 'reply' or kind = 'mention' or kind = 'follow' or kind = 'submission'),
	CONSTRAINT "observations_object" CHECK((object_id = '') = (kind = 'like' or kind = 'recast' or kind = 'follow')),
	CONSTRAINT "observations_source" CHECK(source = 'webhook' or source = 'look' or source = 'sweep' or source = 'start'),
	CONSTRAINT "observations_text" CHECK(text_hash is null or letters is not null),
	CONSTRAINT "observations_text_hash" CHECK(length(text_hash) = 64 and text_hash not glob '*[^0-9a-f]*'),
	CONSTRAINT "observations_letters" CHECK(letters >= 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `observations_by_act` ON `observations` (`gig_id`,`platform`,`platform_user_id`,`kind`,`object_id`);--> statement-breakpoint
CREATE TABLE `watches` (
	`gig_id` integer PRIMARY KEY NOT NULL,
	`platform` text NOT NULL,
	`target_kind` text NOT NULL,
	`target_id` text NOT NULL,
	`target_author` text,
	`next_at` integer NOT NULL,
	`looked_at` integer,
	`sweep_begun_at` integer,
	`sweep_kind` text,
	`sweep_cursor` text,
	`sweep_pages` integer,
	`swept_at` integer,
	`swept_pages` integer DEFAULT 0 NOT NULL,
	`gone_at` integer,
	`over_at` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`earned` text DEFAULT '0' NOT NULL,
	`lease` text,
	`lease_until` integer,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`) REFERENCES `platforms`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "watches_target_kind" CHECK(target_kind = 'post' or target_kind = 'account' or target_kind = 'keyword'),
	CONSTRAINT "watches_target" CHECK(target_id <> '' and (target_kind = 'post') = (target_author is not null)),
	CONSTRAINT "watches_sweep_kind" CHECK(sweep_kind = 'like' or sweep_kind = 'recast' or sweep_kind = 'quote' or sweep_kind = 'reply' or sweep_kind = 'mention' or sweep_kind = 'follow' or sweep_kind = 'submission'),
	CONSTRAINT "watches_sweep" CHECK((sweep_begun_at is null) = (sweep_kind is null) and (sweep_begun_at is null) = (sweep_pages is null) and (sweep_begun_at is not null or sweep_cursor is null)),
	CONSTRAINT "watches_pages" CHECK(swept_pages >= 0 and coalesce(sweep_pages, 0) >= 0 and failures >= 0),
	CONSTRAINT "watches_earned" CHECK(earned <> '' and earned not glob '*[^0-9]*'),
	CONSTRAINT "watches_lease" CHECK((lease is null) = (lease_until is null))
);
--> statement-breakpoint
CREATE INDEX `watches_due` ON `watches` (`platform`,`next_at`) WHERE watches.over_at is null;--> statement-breakpoint
CREATE INDEX `watches_open` ON `watches` (`platform`) WHERE watches.over_at is null;--> statement-breakpoint
-- The rules are terms: those of a live gig stay as they were when its funding was checked.
CREATE TRIGGER earning_rules_live_no_insert
BEFORE INSERT ON earning_rules WHEN EXISTS (SELECT 1 FROM gigs WHERE id = NEW.gig_id AND status = 'live')
BEGIN
	SELECT RAISE(ABORT, 'the earning rules of a live gig cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER earning_rules_live_no_update
BEFORE UPDATE ON earning_rules WHEN EXISTS (SELECT 1 FROM gigs WHERE id IN (OLD.gig_id, NEW.gig_id) AND status = 'live')
BEGIN
	SELECT RAISE(ABORT, 'the earning rules of a live gig cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER earning_rules_live_no_delete
BEFORE DELETE ON earning_rules WHEN EXISTS (SELECT 1 FROM gigs WHERE id = OLD.gig_id AND status = 'live')
BEGIN
	SELECT RAISE(ABORT, 'the earning rules of a live gig cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_count_insert AFTER INSERT ON earnings
BEGIN
	INSERT INTO earning_counts (gig_id, state, n) VALUES (NEW.gig_id, NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER earnings_count_update AFTER UPDATE OF state ON earnings WHEN OLD.state <> NEW.state
BEGIN
	UPDATE earning_counts SET n = n - 1 WHERE gig_id = OLD.gig_id AND state = OLD.state;
	INSERT INTO earning_counts (gig_id, state, n) VALUES (NEW.gig_id, NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER earnings_count_delete AFTER DELETE ON earnings
BEGIN
	UPDATE earning_counts SET n = n - 1 WHERE gig_id = OLD.gig_id AND state = OLD.state;
END;
--> statement-breakpoint
CREATE TRIGGER earnings_key_stays
BEFORE UPDATE OF gig_id, platform, platform_user_id ON earnings
BEGIN
	SELECT RAISE(ABORT, 'an earning keeps its gig and its account');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_begin_unawarded
BEFORE INSERT ON earnings WHEN NEW.state = 'awarded'
BEGIN
	SELECT RAISE(ABORT, 'an earning begins without an award');
END;
--> statement-breakpoint
-- An award is a tip of the same gig, to the same account, of the same amount.
CREATE TRIGGER earnings_award_has_tip
BEFORE UPDATE ON earnings WHEN NEW.state = 'awarded' AND NOT EXISTS (
	SELECT 1 FROM tips WHERE id = NEW.tip_id AND gig_id = NEW.gig_id AND platform = NEW.platform
		AND platform_user_id = NEW.platform_user_id AND amount = NEW.amount
)
BEGIN
	SELECT RAISE(ABORT, 'an award is a tip of its gig to its account');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_awarded_no_update
BEFORE UPDATE ON earnings WHEN OLD.state = 'awarded'
BEGIN
	SELECT RAISE(ABORT, 'an awarded earning cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_awarded_no_delete
BEFORE DELETE ON earnings WHEN OLD.state = 'awarded'
BEGIN
	SELECT RAISE(ABORT, 'an awarded earning cannot be deleted');
END;
--> statement-breakpoint
-- REPLACE deletes the row in its way without firing delete triggers.
CREATE TRIGGER earnings_awarded_no_replace
BEFORE INSERT ON earnings WHEN EXISTS (
	SELECT 1 FROM earnings WHERE gig_id = NEW.gig_id AND platform = NEW.platform
		AND platform_user_id = NEW.platform_user_id AND state = 'awarded'
)
BEGIN
	SELECT RAISE(ABORT, 'an awarded earning cannot be replaced');
END;
--> statement-breakpoint
-- What an account that is no longer accepted has used is free for another.
CREATE TRIGGER earnings_no_longer_accepted
AFTER UPDATE OF state ON earnings WHEN OLD.state = 'eligible' AND NEW.state IN ('held', 'refused')
BEGIN
	DELETE FROM earning_addresses
	WHERE gig_id = NEW.gig_id AND platform = NEW.platform AND platform_user_id = NEW.platform_user_id;
	DELETE FROM earning_texts
	WHERE gig_id = NEW.gig_id AND platform = NEW.platform AND platform_user_id = NEW.platform_user_id;
END;
--> statement-breakpoint
CREATE TRIGGER evaluations_no_update
BEFORE UPDATE ON evaluations
BEGIN
	SELECT RAISE(ABORT, 'an evaluation cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER evaluations_no_delete
BEFORE DELETE ON evaluations
BEGIN
	SELECT RAISE(ABORT, 'an evaluation cannot be deleted');
END;
--> statement-breakpoint
CREATE TRIGGER evaluations_no_replace
BEFORE INSERT ON evaluations WHEN EXISTS (SELECT 1 FROM evaluations WHERE id = NEW.id)
BEGIN
	SELECT RAISE(ABORT, 'an evaluation cannot be replaced');
END;
