CREATE TABLE `gig_payouts` (
	`gig_id` integer NOT NULL,
	`part` integer NOT NULL,
	`part_ms` integer NOT NULL,
	`payouts` integer NOT NULL,
	`amount` text NOT NULL,
	PRIMARY KEY(`gig_id`, `part`),
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "gig_payouts_part" CHECK(part between 0 and 29 and part_ms > 0 and payouts > 0),
	CONSTRAINT "gig_payouts_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*')
);
--> statement-breakpoint
CREATE TABLE `state_counts` (
	`subject` text NOT NULL,
	`state` text NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`subject`, `state`),
	CONSTRAINT "state_counts_n" CHECK(n >= 0)
);
--> statement-breakpoint
-- Added, not rebuilt: a rebuilt table loses its triggers.
ALTER TABLE `mentions` ADD `behind` integer DEFAULT false NOT NULL CONSTRAINT "mentions_behind" CHECK(behind in (0, 1));--> statement-breakpoint
UPDATE mentions SET behind = 1 WHERE state = 'received' AND EXISTS (
	SELECT 1 FROM mentions AS earlier
	WHERE earlier.state = 'received' AND earlier.platform = mentions.platform AND earlier.author_id = mentions.author_id
		AND earlier.id < mentions.id
);
--> statement-breakpoint
DROP INDEX `mentions_due`;--> statement-breakpoint
CREATE INDEX `mentions_due` ON `mentions` (`platform`,`due_at`) WHERE mentions.state = 'received' and mentions.behind = 0;--> statement-breakpoint
-- Once a mention is over, the next of its author no longer stands behind it.
CREATE TRIGGER mentions_next_leads
AFTER UPDATE OF state ON mentions WHEN OLD.state = 'received' AND NEW.state <> 'received'
BEGIN
	UPDATE mentions SET behind = 0 WHERE behind = 1 AND id = (
		SELECT min(id) FROM mentions WHERE state = 'received' AND platform = NEW.platform AND author_id = NEW.author_id
	);
END;
--> statement-breakpoint
CREATE TRIGGER mentions_next_leads_on_delete
AFTER DELETE ON mentions WHEN OLD.state = 'received'
BEGIN
	UPDATE mentions SET behind = 0 WHERE behind = 1 AND id = (
		SELECT min(id) FROM mentions WHERE state = 'received' AND platform = OLD.platform AND author_id = OLD.author_id
	);
END;
--> statement-breakpoint
-- How many stand in each state, kept as rows come, change and go. Mentions that wait are left out: an index finds them
-- without the others, and a trigger on insert costs each webhook 3 µs, an eighth of what it costs the store.
INSERT INTO state_counts (subject, state, n)
SELECT 'mentions', state, count(*) FROM mentions WHERE state <> 'received' GROUP BY state;
--> statement-breakpoint
CREATE TRIGGER mentions_count_update AFTER UPDATE OF state ON mentions WHEN OLD.state <> NEW.state
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'mentions' AND state = OLD.state;
	INSERT INTO state_counts (subject, state, n) SELECT 'mentions', NEW.state, 1 WHERE NEW.state <> 'received'
	ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER mentions_count_delete AFTER DELETE ON mentions
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'mentions' AND state = OLD.state;
END;
--> statement-breakpoint
INSERT INTO state_counts (subject, state, n) SELECT 'replies', state, count(*) FROM replies GROUP BY state;
--> statement-breakpoint
CREATE TRIGGER replies_count_insert AFTER INSERT ON replies
BEGIN
	INSERT INTO state_counts (subject, state, n) VALUES ('replies', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER replies_count_update AFTER UPDATE OF state ON replies WHEN OLD.state <> NEW.state
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'replies' AND state = OLD.state;
	INSERT INTO state_counts (subject, state, n) VALUES ('replies', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER replies_count_delete AFTER DELETE ON replies
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'replies' AND state = OLD.state;
END;
--> statement-breakpoint
INSERT INTO state_counts (subject, state, n) SELECT 'transfers', state, count(*) FROM transfers GROUP BY state;
--> statement-breakpoint
CREATE TRIGGER transfers_count_insert AFTER INSERT ON transfers
BEGIN
	INSERT INTO state_counts (subject, state, n) VALUES ('transfers', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER transfers_count_update AFTER UPDATE OF state ON transfers WHEN OLD.state <> NEW.state
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'transfers' AND state = OLD.state;
	INSERT INTO state_counts (subject, state, n) VALUES ('transfers', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER transfers_count_delete AFTER DELETE ON transfers
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'transfers' AND state = OLD.state;
END;
--> statement-breakpoint
-- What the payouts of each gig moved in each part of its time. A part is a 30th of the gig's window, doubled until all
-- payouts lie in 30 parts. Amounts exceed SQLite's integers, so they are added nine digits at a time.
INSERT INTO gig_payouts (gig_id, part, part_ms, payouts, amount)
WITH RECURSIVE
	paid (gig_id, at, amount) AS MATERIALIZED (
		SELECT gig_id, updated_at, amount FROM transfers WHERE kind = 'payout' AND state = 'confirmed'
	),
	widths (gig_id, start, last, part_ms) AS (
		SELECT gigs.id, gigs.start_time, max(paid.at), max((gigs.duration + 29) / 30, 1)
		FROM paid JOIN gigs ON gigs.id = paid.gig_id GROUP BY gigs.id
		UNION ALL
		SELECT gig_id, start, last, part_ms * 2 FROM widths WHERE last >= start + 30 * part_ms
	),
	chosen (gig_id, start, part_ms) AS MATERIALIZED (SELECT gig_id, start, max(part_ms) FROM widths GROUP BY gig_id),
	placed (gig_id, part, part_ms, amount) AS MATERIALIZED (
		SELECT paid.gig_id, max((paid.at - chosen.start) / chosen.part_ms, 0), chosen.part_ms, paid.amount
		FROM paid JOIN chosen ON chosen.gig_id = paid.gig_id
	),
	counted (gig_id, part, part_ms, payouts) AS (
		SELECT gig_id, part, part_ms, count(*) FROM placed GROUP BY gig_id, part
	),
	pieces (gig_id, part, place, piece, rest) AS (
		SELECT gig_id, part, 0, CAST(substr(amount, -9) AS INTEGER), substr(amount, 1, max(length(amount) - 9, 0)) FROM placed
		UNION ALL
		SELECT gig_id, part, place + 1, CAST(substr(rest, -9) AS INTEGER), substr(rest, 1, max(length(rest) - 9, 0))
		FROM pieces WHERE rest <> ''
	),
	columns (gig_id, part, place, total) AS MATERIALIZED (
		SELECT gig_id, part, place, sum(piece) FROM pieces GROUP BY gig_id, part, place
	),
	sums (gig_id, part, place, carry, digits) AS (
		SELECT gig_id, part, 0, total / 1000000000, printf('%09d', total % 1000000000) FROM columns WHERE place = 0
		UNION ALL
		SELECT sums.gig_id, sums.part, sums.place + 1, (carry + coalesce(total, 0)) / 1000000000,
			printf('%09d', (carry + coalesce(total, 0)) % 1000000000) || digits
		FROM sums LEFT JOIN columns
			ON columns.gig_id = sums.gig_id AND columns.part = sums.part AND columns.place = sums.place + 1
		WHERE carry > 0 OR total IS NOT NULL
	),
	-- With max() the other columns come from the row that has it: the one with all the digits.
	complete (gig_id, part, digits, place) AS (SELECT gig_id, part, digits, max(place) FROM sums GROUP BY gig_id, part)
SELECT counted.gig_id, counted.part, part_ms, payouts, coalesce(nullif(ltrim(digits, '0'), ''), '0')
FROM counted JOIN complete ON complete.gig_id = counted.gig_id AND complete.part = counted.part;
