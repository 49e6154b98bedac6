CREATE TABLE `draw_winners` (
	`gig_id` integer NOT NULL,
	`place` integer NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`ticket` text NOT NULL,
	PRIMARY KEY(`gig_id`, `place`),
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "draw_winners_place" CHECK(typeof(place) = 'integer' and place >= 0),
	CONSTRAINT "draw_winners_ticket" CHECK(length(ticket) = 64 and ticket not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `draw_winners_by_account` ON `draw_winners` (`gig_id`,`platform`,`platform_user_id`);--> statement-breakpoint
CREATE TABLE `draws` (
	`gig_id` integer PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`commitment` text NOT NULL,
	`state` text NOT NULL,
	`closed_at` integer,
	`entrants` integer,
	`root` text,
	`fixed_at` integer,
	`not_before` integer,
	`block_number` integer,
	`block_hash` text,
	`block_at` integer,
	`seed` text,
	`drawn_at` integer,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "draws_state" CHECK(state = 'open' or state = 'closed' or state = 'fixed' or state = 'drawn'),
	CONSTRAINT "draws_secret" CHECK(length(secret) = 64 and secret not glob '*[^0-9a-f]*'),
	CONSTRAINT "draws_commitment" CHECK(length(commitment) = 64 and commitment not glob '*[^0-9a-f]*'),
	CONSTRAINT "draws_closed" CHECK((state = 'open') = (closed_at is null)),
	CONSTRAINT "draws_fixed" CHECK((state = 'fixed' or state = 'drawn') = (root is not null) and (root is null) = (entrants is null) and (root is null) = (fixed_at is null) and (root is null) = (not_before is null)),
	CONSTRAINT "draws_drawn" CHECK((state = 'drawn') = (seed is not null) and (seed is null) = (block_number is null) and (seed is null) = (block_hash is null) and (seed is null) = (block_at is null) and (seed is null) = (drawn_at is null)),
	CONSTRAINT "draws_root" CHECK(length(root) = 64 and root not glob '*[^0-9a-f]*'),
	CONSTRAINT "draws_seed" CHECK(length(seed) = 64 and seed not glob '*[^0-9a-f]*'),
	CONSTRAINT "draws_block_hash" CHECK(length(block_hash) = 66 and block_hash glob '0x*' and substr(block_hash, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "draws_block_time" CHECK(block_at >= not_before and not_before > fixed_at)
);
--> statement-breakpoint
CREATE TRIGGER draws_begin_open
BEFORE INSERT ON draws
WHEN NEW.state <> 'open' OR EXISTS (SELECT 1 FROM draws WHERE gig_id = NEW.gig_id)
BEGIN
	SELECT RAISE(ABORT, 'a draw begins open, once');
END;
--> statement-breakpoint
CREATE TRIGGER draws_go_forward
BEFORE UPDATE ON draws
WHEN NOT (OLD.state = 'open' AND NEW.state = 'closed' OR OLD.state = 'closed' AND NEW.state = 'fixed'
		OR OLD.state = 'fixed' AND NEW.state = 'drawn')
	OR NEW.gig_id <> OLD.gig_id OR NEW.secret <> OLD.secret OR NEW.commitment <> OLD.commitment
	OR OLD.state <> 'open' AND NEW.closed_at IS NOT OLD.closed_at
	OR OLD.state = 'fixed' AND (NEW.entrants IS NOT OLD.entrants OR NEW.root IS NOT OLD.root
		OR NEW.fixed_at IS NOT OLD.fixed_at OR NEW.not_before IS NOT OLD.not_before)
BEGIN
	SELECT RAISE(ABORT, 'a draw goes forward only, and keeps what is set');
END;
--> statement-breakpoint
CREATE TRIGGER draws_close_without_held
BEFORE UPDATE ON draws
WHEN NEW.state = 'closed' AND EXISTS (SELECT 1 FROM earnings WHERE gig_id = NEW.gig_id AND state = 'held')
BEGIN
	SELECT RAISE(ABORT, 'a draw is closed when nobody is held');
END;
--> statement-breakpoint
CREATE TRIGGER draws_divide
BEFORE UPDATE ON draws
WHEN NEW.state = 'drawn' AND NOT EXISTS (SELECT 1 FROM rounds WHERE gig_id = NEW.gig_id AND number = 1)
BEGIN
	SELECT RAISE(ABORT, 'a draw divides what is left');
END;
--> statement-breakpoint
CREATE TRIGGER draws_no_delete
BEFORE DELETE ON draws
BEGIN
	SELECT RAISE(ABORT, 'a draw cannot be deleted');
END;
--> statement-breakpoint
CREATE TRIGGER draw_winners_come_with_the_draw
BEFORE INSERT ON draw_winners
WHEN NOT EXISTS (SELECT 1 FROM draws WHERE gig_id = NEW.gig_id AND state = 'fixed')
	OR EXISTS (SELECT 1 FROM draw_winners WHERE gig_id = NEW.gig_id AND place = NEW.place)
BEGIN
	SELECT RAISE(ABORT, 'winners come with their draw');
END;
--> statement-breakpoint
CREATE TRIGGER draw_winners_no_update
BEFORE UPDATE ON draw_winners
BEGIN
	SELECT RAISE(ABORT, 'a winner cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER draw_winners_no_delete
BEFORE DELETE ON draw_winners
BEGIN
	SELECT RAISE(ABORT, 'a winner cannot be deleted');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_enter_an_open_draw
BEFORE UPDATE ON earnings
WHEN OLD.state <> 'eligible' AND (
		NEW.state = 'eligible' OR NEW.state = 'refused' AND NEW.reason IN ('not_drawn', 'share_too_small')
		OR OLD.state = 'refused' AND OLD.reason IN ('not_drawn', 'share_too_small')
	) AND EXISTS (SELECT 1 FROM draws WHERE gig_id = NEW.gig_id AND state <> 'open')
BEGIN
	SELECT RAISE(ABORT, 'nobody enters or leaves a draw that is closed');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_begin_before_the_draw
BEFORE INSERT ON earnings
WHEN NEW.state <> 'held' AND EXISTS (SELECT 1 FROM draws WHERE gig_id = NEW.gig_id AND state <> 'open')
BEGIN
	SELECT RAISE(ABORT, 'nobody enters a draw that is closed');
END;
--> statement-breakpoint
-- A member of the round is guarded as one; the others stay until they are refused after the draw.
CREATE TRIGGER earnings_entrants_stay
BEFORE UPDATE ON earnings
WHEN OLD.state = 'eligible' AND OLD.round IS NULL
	AND EXISTS (SELECT 1 FROM draws WHERE gig_id = OLD.gig_id AND state <> 'open')
	AND NOT (NEW.state = 'eligible' AND EXISTS (SELECT 1 FROM draws WHERE gig_id = OLD.gig_id AND state = 'fixed')
		OR NEW.state = 'refused' AND NEW.reason = 'not_drawn'
			AND EXISTS (SELECT 1 FROM draws WHERE gig_id = OLD.gig_id AND state = 'drawn'))
BEGIN
	SELECT RAISE(ABORT, 'an entrant of a draw stays until the draw');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_entrants_no_delete
BEFORE DELETE ON earnings
WHEN EXISTS (SELECT 1 FROM draws WHERE gig_id = OLD.gig_id AND state <> 'open')
BEGIN
	SELECT RAISE(ABORT, 'an entrant of a draw cannot be deleted');
END;
--> statement-breakpoint
-- REPLACE deletes the row in its way without firing delete triggers.
CREATE TRIGGER earnings_entrants_no_replace
BEFORE INSERT ON earnings
WHEN EXISTS (
	SELECT 1 FROM earnings WHERE gig_id = NEW.gig_id AND platform = NEW.platform AND platform_user_id = NEW.platform_user_id
) AND EXISTS (SELECT 1 FROM draws WHERE gig_id = NEW.gig_id AND state <> 'open')
BEGIN
	SELECT RAISE(ABORT, 'an entrant of a draw cannot be replaced');
END;
