-- Each tip of a gig has a number, given once. SQLite adds a column only with a default; a trigger refuses it in new rows.
ALTER TABLE `gigs` ADD `next_tip_number` integer DEFAULT 0 NOT NULL CONSTRAINT "gigs_next_tip_number" CHECK(typeof(next_tip_number) = 'integer' and next_tip_number >= 0);--> statement-breakpoint
ALTER TABLE `tips` ADD `number` integer DEFAULT 0 NOT NULL CONSTRAINT "tips_number" CHECK(typeof(number) = 'integer' and number >= 0);--> statement-breakpoint
UPDATE `tips` SET `number` = numbered.number
FROM (SELECT id, row_number() OVER (PARTITION BY gig_id ORDER BY id) - 1 AS number FROM tips) AS numbered
WHERE numbered.id = tips.id;--> statement-breakpoint
UPDATE `gigs` SET `next_tip_number` = counted.n
FROM (SELECT gig_id, count(*) AS n FROM tips GROUP BY gig_id) AS counted
WHERE counted.gig_id = gigs.id;--> statement-breakpoint
DROP INDEX `tips_pending`;--> statement-breakpoint
CREATE INDEX `tips_pending` ON `tips` (`platform`,`platform_user_id`,`created_at`,`gig_id`,`token_id`,`amount`,`user_address`,`tx_hash`,`claim_nonce`,`claim_started_at`,`lock_timeout`,`number`) WHERE tips.status = 'pending' and tips.is_void = 0;--> statement-breakpoint
CREATE UNIQUE INDEX `tips_by_number` ON `tips` (`gig_id`,`number`);--> statement-breakpoint
-- What the chain has paid is known by the numbers of tips, so a number is given once.
CREATE TRIGGER gigs_tip_numbers_never_fall
BEFORE UPDATE OF next_tip_number ON gigs WHEN NEW.next_tip_number < OLD.next_tip_number
BEGIN
	SELECT RAISE(ABORT, 'a gig never gives the number of a tip again');
END;
--> statement-breakpoint
CREATE TRIGGER tips_number_is_given
BEFORE INSERT ON tips
WHEN NOT EXISTS (SELECT 1 FROM gigs WHERE id = NEW.gig_id AND next_tip_number > NEW.number)
BEGIN
	SELECT RAISE(ABORT, 'a tip takes its number from its gig');
END;
--> statement-breakpoint
-- Only a tip that is neither paid nor void takes another number, and only the newest of its gig.
CREATE TRIGGER tips_number_stays
BEFORE UPDATE OF gig_id, number ON tips
WHEN (NEW.gig_id <> OLD.gig_id OR NEW.number <> OLD.number) AND NOT (
	NEW.gig_id = OLD.gig_id AND NEW.number > OLD.number AND OLD.status = 'pending' AND OLD.is_void = 0
	AND OLD.tx_hash IS NULL AND EXISTS (SELECT 1 FROM gigs WHERE id = OLD.gig_id AND next_tip_number = NEW.number + 1)
)
BEGIN
	SELECT RAISE(ABORT, 'a tip keeps its number');
END;
