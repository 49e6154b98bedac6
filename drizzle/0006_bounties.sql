CREATE TABLE `verifier_batches` (
	`id` text PRIMARY KEY NOT NULL,
	`gig_id` integer NOT NULL,
	`state` text NOT NULL,
	`candidates` text NOT NULL,
	`tries` integer NOT NULL,
	`next_at` integer NOT NULL,
	`answer` text,
	`made_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "verifier_batches_id" CHECK(id <> ''),
	CONSTRAINT "verifier_batches_state" CHECK(state = 'open' or state = 'answered' or state = 'dropped'),
	CONSTRAINT "verifier_batches_candidates" CHECK(json_valid(candidates) and candidates glob '[[]*]'),
	CONSTRAINT "verifier_batches_tries" CHECK(typeof(tries) = 'integer' and tries >= 0),
	CONSTRAINT "verifier_batches_answer" CHECK(answer is null or json_valid(answer)),
	CONSTRAINT "verifier_batches_answered" CHECK((state = 'answered') = (answer is not null)),
	CONSTRAINT "verifier_batches_ended" CHECK((state = 'open') = (ended_at is null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `verifier_batches_open` ON `verifier_batches` (`gig_id`) WHERE verifier_batches.state = 'open';--> statement-breakpoint
-- A column is added, because a table that is built anew would lose its triggers.
ALTER TABLE `earnings` ADD `note` text CONSTRAINT "earnings_note" CHECK(note is null or note <> '' and reason is 'verifier_refused');--> statement-breakpoint
CREATE INDEX `earnings_candidates` ON `earnings` (`gig_id`,`due_at`,`ranked_at`,`observation_id`) WHERE earnings.state = 'eligible';--> statement-breakpoint
CREATE TRIGGER verifier_batches_begin_open
BEFORE INSERT ON verifier_batches WHEN NEW.state <> 'open'
BEGIN
	SELECT RAISE(ABORT, 'a batch begins without an answer');
END;
--> statement-breakpoint
-- A batch asks the same at every try, and an answer that comes again changes nothing.
CREATE TRIGGER verifier_batches_stay
BEFORE UPDATE ON verifier_batches
WHEN OLD.state <> 'open' OR NEW.id <> OLD.id OR NEW.gig_id <> OLD.gig_id OR NEW.candidates <> OLD.candidates
	OR NEW.made_at <> OLD.made_at OR NEW.tries < OLD.tries
BEGIN
	SELECT RAISE(ABORT, 'a batch keeps what it asks and what was answered');
END;
--> statement-breakpoint
CREATE TRIGGER verifier_batches_no_delete
BEFORE DELETE ON verifier_batches
BEGIN
	SELECT RAISE(ABORT, 'a batch cannot be deleted');
END;
--> statement-breakpoint
-- REPLACE deletes the row in its way without firing delete triggers.
CREATE TRIGGER verifier_batches_no_replace
BEFORE INSERT ON verifier_batches
WHEN EXISTS (SELECT 1 FROM verifier_batches WHERE id = NEW.id)
	OR EXISTS (SELECT 1 FROM verifier_batches WHERE gig_id = NEW.gig_id AND state = 'open')
BEGIN
	SELECT RAISE(ABORT, 'a batch cannot be replaced');
END;
