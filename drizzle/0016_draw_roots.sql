-- Draws that were fixed before keep their root, which is version 1.
ALTER TABLE `draws` ADD `root_version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
DROP TRIGGER draws_go_forward;--> statement-breakpoint
CREATE TRIGGER draws_go_forward
BEFORE UPDATE ON draws
WHEN NOT (OLD.state = 'open' AND NEW.state = 'closed' OR OLD.state = 'closed' AND NEW.state = 'fixed'
		OR OLD.state = 'fixed' AND NEW.state = 'drawn')
	OR NEW.gig_id <> OLD.gig_id OR NEW.secret <> OLD.secret OR NEW.commitment <> OLD.commitment
	OR OLD.state <> 'open' AND NEW.closed_at IS NOT OLD.closed_at
	OR OLD.state <> 'closed' AND NEW.root_version <> OLD.root_version
	OR OLD.state = 'fixed' AND (NEW.entrants IS NOT OLD.entrants OR NEW.root IS NOT OLD.root
		OR NEW.fixed_at IS NOT OLD.fixed_at OR NEW.not_before IS NOT OLD.not_before)
BEGIN
	SELECT RAISE(ABORT, 'a draw goes forward only, and keeps what is set');
END;
--> statement-breakpoint
CREATE TRIGGER draws_fix_with_head
BEFORE UPDATE ON draws
WHEN OLD.state = 'closed' AND NEW.state = 'fixed' AND (NEW.root_version < 2 OR NEW.not_before < NEW.fixed_at + 60000)
BEGIN
	SELECT RAISE(ABORT, 'a draw is fixed with its places and a block a minute later');
END;
