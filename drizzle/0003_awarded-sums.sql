-- What each gig has awarded so far: the exact sum of its tips. sum() is exact for 64-bit integers only, and amounts are
-- larger, so they are added like by hand, nine digits at a time: a column of nine-digit numbers overflows with the nine
-- billionth tip at the earliest, and then sum() fails instead of rounding.
WITH RECURSIVE
	parts (gig_id, place, part, rest) AS (
		SELECT gig_id, 0, CAST(substr(amount, -9) AS INTEGER), substr(amount, 1, max(length(amount) - 9, 0)) FROM tips
		UNION ALL
		SELECT gig_id, place + 1, CAST(substr(rest, -9) AS INTEGER), substr(rest, 1, max(length(rest) - 9, 0))
		FROM parts WHERE rest <> ''
	),
	columns (gig_id, place, total) AS MATERIALIZED (
		SELECT gig_id, place, sum(part) FROM parts GROUP BY gig_id, place
	),
	sums (gig_id, place, carry, digits) AS (
		SELECT gig_id, 0, total / 1000000000, printf('%09d', total % 1000000000) FROM columns WHERE place = 0
		UNION ALL
		SELECT sums.gig_id, sums.place + 1, (carry + coalesce(total, 0)) / 1000000000,
			printf('%09d', (carry + coalesce(total, 0)) % 1000000000) || digits
		FROM sums LEFT JOIN columns ON columns.gig_id = sums.gig_id AND columns.place = sums.place + 1
		WHERE carry > 0 OR total IS NOT NULL
	),
	-- With max() the other columns come from the row that has it: the one with all the digits.
	complete (gig_id, digits, place) AS (SELECT gig_id, digits, max(place) FROM sums GROUP BY gig_id)
UPDATE gigs SET awarded_amount = coalesce(nullif(ltrim(digits, '0'), ''), '0')
FROM complete WHERE complete.gig_id = gigs.id;
