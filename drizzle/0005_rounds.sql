CREATE TABLE `rounds` (
	`gig_id` integer NOT NULL,
	`number` integer NOT NULL,
	`state` text NOT NULL,
	`pool` text NOT NULL,
	`total` text NOT NULL,
	`members` integer NOT NULL,
	`reserved` text NOT NULL,
	`divided_at` integer NOT NULL,
	PRIMARY KEY(`gig_id`, `number`),
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "rounds_number" CHECK(typeof(number) = 'integer' and number >= 1),
	CONSTRAINT "rounds_state" CHECK(state = 'divided' or state = 'over'),
	CONSTRAINT "rounds_pool" CHECK(pool <> '' and pool not glob '*[^0-9]*'),
	CONSTRAINT "rounds_total" CHECK(total <> '' and total not glob '*[^0-9]*'),
	CONSTRAINT "rounds_members" CHECK(typeof(members) = 'integer' and members >= 0),
	CONSTRAINT "rounds_reserved" CHECK(reserved <> '' and reserved not glob '*[^0-9]*'),
	CONSTRAINT "rounds_reserved_of_pool" CHECK(length(reserved) < length(pool) or length(reserved) = length(pool) and reserved <= pool),
	CONSTRAINT "rounds_over" CHECK(state <> 'over' or reserved = '0')
);
--> statement-breakpoint
-- Columns are added, because a table that is built anew would lose its triggers and the last id of a gig.
ALTER TABLE `gigs` ADD `reserved_amount` text DEFAULT '0' NOT NULL CONSTRAINT "gigs_reserved" CHECK(reserved_amount <> '' and reserved_amount not glob '*[^0-9]*');--> statement-breakpoint
ALTER TABLE `earnings` ADD `round` integer CONSTRAINT "earnings_round" CHECK(round is null or typeof(round) = 'integer' and round >= 1);--> statement-breakpoint
ALTER TABLE `earnings` ADD `weight` text CONSTRAINT "earnings_weight" CHECK((weight is null) = (round is null) and (weight is null or weight <> '' and weight not glob '*[^0-9]*'));--> statement-breakpoint
CREATE INDEX `earnings_in_round` ON `earnings` (`gig_id`,`round`,`ranked_at`,`observation_id`,`weight`) WHERE earnings.state = 'eligible' and earnings.round is not null;--> statement-breakpoint
-- Rounds are divided in their order, each after the one before it is over.
CREATE TRIGGER rounds_begin_in_order
BEFORE INSERT ON rounds
WHEN NEW.state <> 'divided'
	OR NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM rounds WHERE gig_id = NEW.gig_id)
	OR EXISTS (SELECT 1 FROM rounds WHERE gig_id = NEW.gig_id AND state = 'divided')
BEGIN
	SELECT RAISE(ABORT, 'a round is divided after the one before it is over');
END;
--> statement-breakpoint
CREATE TRIGGER rounds_stay
BEFORE UPDATE ON rounds
WHEN OLD.state = 'over' OR NEW.gig_id <> OLD.gig_id OR NEW.number <> OLD.number OR NEW.pool <> OLD.pool
	OR NEW.total <> OLD.total OR NEW.members <> OLD.members OR NEW.divided_at <> OLD.divided_at
BEGIN
	SELECT RAISE(ABORT, 'a divided round cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER rounds_reserved_falls
BEFORE UPDATE OF reserved ON rounds
WHEN length(NEW.reserved) > length(OLD.reserved)
	OR length(NEW.reserved) = length(OLD.reserved) AND NEW.reserved > OLD.reserved
BEGIN
	SELECT RAISE(ABORT, 'a divided round reserves no more');
END;
--> statement-breakpoint
CREATE TRIGGER rounds_end_without_members
BEFORE UPDATE OF state ON rounds
WHEN NEW.state = 'over' AND EXISTS (
	SELECT 1 FROM earnings WHERE gig_id = NEW.gig_id AND round = NEW.number AND state = 'eligible' AND round IS NOT NULL
)
BEGIN
	SELECT RAISE(ABORT, 'a round is over when no member waits for its share');
END;
--> statement-breakpoint
CREATE TRIGGER rounds_no_delete
BEFORE DELETE ON rounds
BEGIN
	SELECT RAISE(ABORT, 'a divided round cannot be deleted');
END;
--> statement-breakpoint
-- What a gig reserves is what its divided round does, and its reward holds that.
CREATE TRIGGER gigs_reserve_for_round
BEFORE UPDATE OF reserved_amount ON gigs
WHEN NEW.reserved_amount <> OLD.reserved_amount AND (
	NEW.reserved_amount <> coalesce((SELECT reserved FROM rounds WHERE gig_id = NEW.id AND state = 'divided'), '0')
	OR length(NEW.reserved_amount) > length(NEW.reward_amount)
	OR length(NEW.reserved_amount) = length(NEW.reward_amount) AND NEW.reserved_amount > NEW.reward_amount
)
BEGIN
	SELECT RAISE(ABORT, 'a gig reserves what its divided round does');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_round_is_closed
BEFORE UPDATE ON earnings
WHEN NEW.state = 'eligible' AND NEW.round IS NOT NULL
	AND (OLD.state <> 'eligible' OR NEW.round IS NOT OLD.round OR NEW.weight IS NOT OLD.weight)
	AND EXISTS (SELECT 1 FROM rounds WHERE gig_id = NEW.gig_id AND number = NEW.round)
BEGIN
	SELECT RAISE(ABORT, 'nobody enters a round that is divided');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_begin_outside_rounds
BEFORE INSERT ON earnings WHEN NEW.round IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'an earning begins outside of rounds');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_member_stays
BEFORE UPDATE ON earnings
WHEN OLD.state = 'eligible' AND OLD.round IS NOT NULL
	AND EXISTS (SELECT 1 FROM rounds WHERE gig_id = OLD.gig_id AND number = OLD.round)
	AND NOT (NEW.round IS OLD.round AND NEW.weight IS OLD.weight AND (
		NEW.state IN ('eligible', 'awarded') OR NEW.state = 'refused' AND NEW.reason = 'share_too_small'
	))
BEGIN
	SELECT RAISE(ABORT, 'a member of a divided round keeps its weight');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_share_is_divided
BEFORE UPDATE ON earnings
WHEN NEW.state = 'awarded' AND NEW.round IS NOT NULL
	AND NOT EXISTS (SELECT 1 FROM rounds WHERE gig_id = NEW.gig_id AND number = NEW.round AND state = 'divided')
BEGIN
	SELECT RAISE(ABORT, 'a share is awarded after its round is divided');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_member_no_delete
BEFORE DELETE ON earnings
WHEN OLD.state = 'eligible' AND OLD.round IS NOT NULL
	AND EXISTS (SELECT 1 FROM rounds WHERE gig_id = OLD.gig_id AND number = OLD.round)
BEGIN
	SELECT RAISE(ABORT, 'a member of a divided round cannot be deleted');
END;
--> statement-breakpoint
-- REPLACE deletes the row in its way without firing delete triggers.
CREATE TRIGGER earnings_member_no_replace
BEFORE INSERT ON earnings WHEN EXISTS (
	SELECT 1 FROM earnings JOIN rounds ON rounds.gig_id = earnings.gig_id AND rounds.number = earnings.round
	WHERE earnings.gig_id = NEW.gig_id AND earnings.platform = NEW.platform
		AND earnings.platform_user_id = NEW.platform_user_id AND earnings.state = 'eligible'
)
BEGIN
	SELECT RAISE(ABORT, 'a member of a divided round cannot be replaced');
END;
