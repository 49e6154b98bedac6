-- Triggers sum up what has changed alone: an award is one that changes nothing but the awarded amount. A place is read from the
-- end of an amount; one that reaches beyond its beginning is empty, which is 0.
DROP TRIGGER `gigs_sums_update`;--> statement-breakpoint
CREATE TRIGGER `gigs_sums_awarded` AFTER UPDATE OF awarded_amount ON `gigs` WHEN OLD.awarded_amount IS NOT NEW.awarded_amount
BEGIN
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT 0, 'awarded', NEW.token_id, nine, 0, n FROM (
		SELECT nine, cast(substr(NEW.awarded_amount, -9 * nine - 9, 9) AS integer) - cast(substr(OLD.awarded_amount, -9 * nine - 9, 9) AS integer) AS n
		FROM (SELECT column1 AS nine FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8)))
		WHERE 9 * nine < max(length(NEW.awarded_amount), length(OLD.awarded_amount))
	) WHERE n <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
END;--> statement-breakpoint
CREATE TRIGGER `gigs_sums_status` AFTER UPDATE OF status, awarded_amount, settled_at ON `gigs`
WHEN OLD.status IS NOT NEW.status OR OLD.settled_at IS NOT NEW.settled_at OR (NEW.settled_at IS NOT NULL AND OLD.awarded_amount IS NOT NEW.awarded_amount)
BEGIN
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT 0, kind, NEW.token_id, place, 0, n FROM (
		SELECT 'gigs' AS kind, 0 AS place, (NEW.status = 'live') - (OLD.status = 'live') AS n
		UNION ALL SELECT 'funded', nine, ((NEW.status = 'live') - (OLD.status = 'live')) * (cast(substr(NEW.reward_amount, -9 * nine - 9, 9) AS integer) + cast(substr(NEW.fee_amount, -9 * nine - 9, 9) AS integer))
			FROM (SELECT column1 AS nine FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8)))
		UNION ALL SELECT 'settled', nine, (NEW.settled_at IS NOT NULL) * (cast(substr(NEW.reward_amount, -9 * nine - 9, 9) AS integer) - cast(substr(NEW.awarded_amount, -9 * nine - 9, 9) AS integer)) - (OLD.settled_at IS NOT NULL) * (cast(substr(OLD.reward_amount, -9 * nine - 9, 9) AS integer) - cast(substr(OLD.awarded_amount, -9 * nine - 9, 9) AS integer))
			FROM (SELECT column1 AS nine FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8)))
	) WHERE n <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
END;
