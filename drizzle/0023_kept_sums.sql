-- All that is listed of a gig's payments is found by kind and state, and its void tips by their numbers. The index of adopted
-- payouts names the kind in a way by which SQLite looks in no other index.
DROP INDEX `payments_by_gig`;--> statement-breakpoint
CREATE INDEX `payments_by_gig` ON `payments` (`gig_id`,`kind`,`state`);--> statement-breakpoint
DROP INDEX `payments_adopted`;--> statement-breakpoint
CREATE INDEX `payments_adopted` ON `payments` (`claim_id`) WHERE payments.claim_id is null and not payments.kind <> 'payout';--> statement-breakpoint
DROP INDEX `tips_void`;--> statement-breakpoint
CREATE INDEX `tips_void` ON `tips` (`gig_id`,`number`) WHERE tips.is_void = 1;--> statement-breakpoint
ALTER TABLE `gigs` ADD `voided_amount` text DEFAULT '0' NOT NULL CONSTRAINT "gigs_voided" CHECK(voided_amount <> '' and voided_amount not glob '*[^0-9]*');--> statement-breakpoint
-- Amounts are text of any length: nine digits at a time are added, the lowest first, and what is beyond them is carried on.
WITH RECURSIVE
	places(place) AS (SELECT 0 UNION ALL SELECT place + 1 FROM places WHERE place < 8),
	sums(gig_id, place, sum) AS MATERIALIZED (
		SELECT gig_id, place, sum(cast(substr(substr(printf('%081d', 0) || amount, -81), 73 - 9 * place, 9) AS integer))
		FROM tips JOIN places WHERE tips.is_void = 1 GROUP BY gig_id, place
	),
	added(gig_id, place, carry, digits) AS (
		SELECT gig_id, 0, sum / 1000000000, printf('%09d', sum % 1000000000) FROM sums WHERE place = 0
		UNION ALL
		SELECT added.gig_id, sums.place, (sums.sum + carry) / 1000000000, printf('%09d', (sums.sum + carry) % 1000000000) || digits
		FROM added JOIN sums ON sums.gig_id = added.gig_id AND sums.place = added.place + 1
	)
UPDATE gigs SET voided_amount = coalesce(
	(SELECT nullif(ltrim(carry || digits, '0'), '') FROM added WHERE added.gig_id = gigs.id AND added.place = 8), '0')
	WHERE id IN (SELECT gig_id FROM sums);
