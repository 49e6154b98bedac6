-- Sums of all time (day 0) and of each day. An amount is text of any length: each place has nine of its digits, so that adding
-- carries nothing. Everything but the gas of payments before their last change is filled in from what is there.
CREATE TABLE `day_durations` (
	`day` integer NOT NULL,
	`kind` text NOT NULL,
	`bucket` integer NOT NULL,
	`part` integer NOT NULL,
	`n` integer NOT NULL,
	`longest` integer NOT NULL,
	`total` integer NOT NULL,
	PRIMARY KEY(`day`, `kind`, `bucket`, `part`),
	CONSTRAINT "day_durations_kind" CHECK(kind in ('reply', 'payment')),
	CONSTRAINT "day_durations_n" CHECK(n >= 0 and longest >= 0)
);
--> statement-breakpoint
CREATE TABLE `day_sums` (
	`day` integer NOT NULL,
	`kind` text NOT NULL,
	`subject` integer NOT NULL,
	`place` integer NOT NULL,
	`part` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`day`, `kind`, `subject`, `place`, `part`),
	CONSTRAINT "day_sums_kind" CHECK(kind in ('gigs', 'funded', 'awarded', 'paid', 'settled', 'refunded', 'gas'))
);
--> statement-breakpoint
CREATE INDEX `payments_waiting` ON `payments` (`created_at`) WHERE (payments.state = 'planned' or payments.state = 'sent');--> statement-breakpoint
INSERT INTO day_sums (day, kind, subject, place, part, n)
SELECT 0, kind, token_id, place, 0, sum(n) FROM (
	SELECT 'gigs' AS kind, token_id, 0 AS place, 1 AS n FROM gigs WHERE status = 'live'
	UNION ALL SELECT 'funded', token_id, nine, cast(substr(substr(printf('%081d', 0) || reward_amount, -81), 73 - 9 * nine, 9) AS integer) + cast(substr(substr(printf('%081d', 0) || fee_amount, -81), 73 - 9 * nine, 9) AS integer) FROM gigs JOIN (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8) WHERE status = 'live'
	UNION ALL SELECT 'awarded', token_id, nine, cast(substr(substr(printf('%081d', 0) || awarded_amount, -81), 73 - 9 * nine, 9) AS integer) FROM gigs JOIN (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8)
	UNION ALL SELECT 'settled', token_id, nine, cast(substr(substr(printf('%081d', 0) || reward_amount, -81), 73 - 9 * nine, 9) AS integer) - cast(substr(substr(printf('%081d', 0) || awarded_amount, -81), 73 - 9 * nine, 9) AS integer) FROM gigs JOIN (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8) WHERE settled_at IS NOT NULL
) GROUP BY kind, token_id, place HAVING sum(n) <> 0;--> statement-breakpoint
INSERT INTO day_sums (day, kind, subject, place, part, n)
SELECT updated_at / 86400000 * d.each, iif(kind = 'payout', 'paid', 'refunded'), token_id, nine, 0, sum(cast(substr(substr(printf('%081d', 0) || amount, -81), 73 - 9 * nine, 9) AS integer))
FROM payments JOIN (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8) JOIN (SELECT 0 AS each UNION ALL SELECT 1) AS d
WHERE state = 'confirmed' AND kind IN ('payout', 'refund')
GROUP BY 1, 2, 3, 4 HAVING sum(cast(substr(substr(printf('%081d', 0) || amount, -81), 73 - 9 * nine, 9) AS integer)) <> 0;--> statement-breakpoint
INSERT INTO day_sums (day, kind, subject, place, part, n)
SELECT updated_at / 86400000 * d.each, 'gas', chain_id, 0, 0, sum(gas_used)
FROM payments JOIN (SELECT 0 AS each UNION ALL SELECT 1) AS d WHERE gas_used > 0 GROUP BY 1, 3;--> statement-breakpoint
INSERT INTO day_durations (day, kind, bucket, part, n, longest, total)
SELECT day * each, 'payment', CASE WHEN ms <= 1000 THEN 1000 WHEN ms <= 2000 THEN 2000 WHEN ms <= 3000 THEN 3000 WHEN ms <= 5000 THEN 5000 WHEN ms <= 7000 THEN 7000 WHEN ms <= 10000 THEN 10000 WHEN ms <= 15000 THEN 15000 WHEN ms <= 20000 THEN 20000 WHEN ms <= 30000 THEN 30000 WHEN ms <= 45000 THEN 45000 WHEN ms <= 60000 THEN 60000 WHEN ms <= 90000 THEN 90000 WHEN ms <= 120000 THEN 120000 WHEN ms <= 180000 THEN 180000 WHEN ms <= 300000 THEN 300000 WHEN ms <= 600000 THEN 600000 WHEN ms <= 900000 THEN 900000 WHEN ms <= 1800000 THEN 1800000 WHEN ms <= 3600000 THEN 3600000 WHEN ms <= 7200000 THEN 7200000 WHEN ms <= 14400000 THEN 14400000 WHEN ms <= 28800000 THEN 28800000 WHEN ms <= 86400000 THEN 86400000 ELSE 9007199254740991 END AS bound, 0, count(*), max(ms), sum(ms) FROM (
	SELECT payments.updated_at / 86400000 AS day, cast(min(max(0, payments.updated_at - claims.created_at), 315360000000) AS integer) AS ms
	FROM payments JOIN claims ON claims.id = payments.claim_id WHERE payments.state = 'confirmed'
) JOIN (SELECT 0 AS each UNION ALL SELECT 1) GROUP BY 1, bound;--> statement-breakpoint
INSERT INTO day_durations (day, kind, bucket, part, n, longest, total)
SELECT day * each, 'reply', CASE WHEN ms <= 1000 THEN 1000 WHEN ms <= 2000 THEN 2000 WHEN ms <= 3000 THEN 3000 WHEN ms <= 5000 THEN 5000 WHEN ms <= 7000 THEN 7000 WHEN ms <= 10000 THEN 10000 WHEN ms <= 15000 THEN 15000 WHEN ms <= 20000 THEN 20000 WHEN ms <= 30000 THEN 30000 WHEN ms <= 45000 THEN 45000 WHEN ms <= 60000 THEN 60000 WHEN ms <= 90000 THEN 90000 WHEN ms <= 120000 THEN 120000 WHEN ms <= 180000 THEN 180000 WHEN ms <= 300000 THEN 300000 WHEN ms <= 600000 THEN 600000 WHEN ms <= 900000 THEN 900000 WHEN ms <= 1800000 THEN 1800000 WHEN ms <= 3600000 THEN 3600000 WHEN ms <= 7200000 THEN 7200000 WHEN ms <= 14400000 THEN 14400000 WHEN ms <= 28800000 THEN 28800000 WHEN ms <= 86400000 THEN 86400000 ELSE 9007199254740991 END AS bound, 0, count(*), max(ms), sum(ms) FROM (
	SELECT replies.sent_at / 86400000 AS day, cast(min(max(0, replies.sent_at - mentions.posted_at), 315360000000) AS integer) AS ms
	FROM replies JOIN mentions ON mentions.id = replies.mention_id
	WHERE replies.state = 'sent' AND replies.event IS NULL AND replies.follow_up = 0
) JOIN (SELECT 0 AS each UNION ALL SELECT 1) GROUP BY 1, bound;--> statement-breakpoint
INSERT INTO state_counts (subject, state, n) SELECT 'replies', 'held', count(*) FROM replies WHERE held_for IS NOT NULL;--> statement-breakpoint
CREATE TRIGGER `gigs_sums_insert` AFTER INSERT ON `gigs` WHEN NEW.status = 'live' OR NEW.awarded_amount <> '0'
BEGIN
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT 0, kind, NEW.token_id, place, 0, sum(n) FROM (
		SELECT 'gigs' AS kind, 0 AS place, (NEW.status = 'live') AS n
		UNION ALL SELECT 'funded', nine, ((NEW.status = 'live')) * (cast(substr(substr(printf('%081d', 0) || NEW.reward_amount, -81), 73 - 9 * nine, 9) AS integer) + cast(substr(substr(printf('%081d', 0) || NEW.fee_amount, -81), 73 - 9 * nine, 9) AS integer)) FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8)
		UNION ALL SELECT 'awarded', nine, cast(substr(substr(printf('%081d', 0) || NEW.awarded_amount, -81), 73 - 9 * nine, 9) AS integer) FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8)
		UNION ALL SELECT 'settled', nine, (NEW.settled_at IS NOT NULL) * (cast(substr(substr(printf('%081d', 0) || NEW.reward_amount, -81), 73 - 9 * nine, 9) AS integer) - cast(substr(substr(printf('%081d', 0) || NEW.awarded_amount, -81), 73 - 9 * nine, 9) AS integer)) FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8)
	) GROUP BY kind, place HAVING sum(n) <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
END;--> statement-breakpoint
CREATE TRIGGER `gigs_sums_update` AFTER UPDATE OF status, awarded_amount, settled_at ON `gigs`
WHEN OLD.status IS NOT NEW.status OR OLD.awarded_amount IS NOT NEW.awarded_amount OR OLD.settled_at IS NOT NEW.settled_at
BEGIN
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT 0, kind, NEW.token_id, place, 0, sum(n) FROM (
		SELECT 'gigs' AS kind, 0 AS place, (NEW.status = 'live') - ((OLD.status = 'live')) AS n
		UNION ALL SELECT 'funded', nine, ((NEW.status = 'live') - ((OLD.status = 'live'))) * (cast(substr(substr(printf('%081d', 0) || NEW.reward_amount, -81), 73 - 9 * nine, 9) AS integer) + cast(substr(substr(printf('%081d', 0) || NEW.fee_amount, -81), 73 - 9 * nine, 9) AS integer)) FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8)
		UNION ALL SELECT 'awarded', nine, cast(substr(substr(printf('%081d', 0) || NEW.awarded_amount, -81), 73 - 9 * nine, 9) AS integer) - (cast(substr(substr(printf('%081d', 0) || OLD.awarded_amount, -81), 73 - 9 * nine, 9) AS integer)) FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8)
		UNION ALL SELECT 'settled', nine, (NEW.settled_at IS NOT NULL) * (cast(substr(substr(printf('%081d', 0) || NEW.reward_amount, -81), 73 - 9 * nine, 9) AS integer) - cast(substr(substr(printf('%081d', 0) || NEW.awarded_amount, -81), 73 - 9 * nine, 9) AS integer)) - ((OLD.settled_at IS NOT NULL) * (cast(substr(substr(printf('%081d', 0) || OLD.reward_amount, -81), 73 - 9 * nine, 9) AS integer) - cast(substr(substr(printf('%081d', 0) || OLD.awarded_amount, -81), 73 - 9 * nine, 9) AS integer))) FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8)
	) GROUP BY kind, place HAVING sum(n) <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
END;--> statement-breakpoint
CREATE TRIGGER `payments_sums_insert` AFTER INSERT ON `payments`
WHEN NEW.state = 'confirmed' AND NEW.kind IN ('payout', 'refund')
BEGIN
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT NEW.updated_at / 86400000 * each, iif(NEW.kind = 'payout', 'paid', 'refunded'), NEW.token_id, nine, 0, digits
	FROM (SELECT nine, cast(substr(substr(printf('%081d', 0) || NEW.amount, -81), 73 - 9 * nine, 9) AS integer) AS digits
		FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8) WHERE nine * 9 < length(NEW.amount)) JOIN (SELECT 0 AS each UNION ALL SELECT 1) WHERE digits <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
END;--> statement-breakpoint
CREATE TRIGGER `payments_sums_confirm` AFTER UPDATE OF state ON `payments`
WHEN NEW.state = 'confirmed' AND OLD.state <> 'confirmed' AND NEW.kind IN ('payout', 'refund')
BEGIN
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT NEW.updated_at / 86400000 * each, iif(NEW.kind = 'payout', 'paid', 'refunded'), NEW.token_id, nine, 0, digits
	FROM (SELECT nine, cast(substr(substr(printf('%081d', 0) || NEW.amount, -81), 73 - 9 * nine, 9) AS integer) AS digits
		FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8) WHERE nine * 9 < length(NEW.amount)) JOIN (SELECT 0 AS each UNION ALL SELECT 1) WHERE digits <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
END;--> statement-breakpoint
CREATE TRIGGER `payments_sums_undo` AFTER UPDATE OF state ON `payments`
WHEN OLD.state = 'confirmed' AND NEW.state <> 'confirmed' AND OLD.kind IN ('payout', 'refund')
BEGIN
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT OLD.updated_at / 86400000 * each, iif(OLD.kind = 'payout', 'paid', 'refunded'), OLD.token_id, nine, 0, -digits
	FROM (SELECT nine, cast(substr(substr(printf('%081d', 0) || OLD.amount, -81), 73 - 9 * nine, 9) AS integer) AS digits
		FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8) WHERE nine * 9 < length(OLD.amount)) JOIN (SELECT 0 AS each UNION ALL SELECT 1) WHERE digits <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
END;--> statement-breakpoint
CREATE TRIGGER `payments_sums_amount` AFTER UPDATE OF amount ON `payments`
WHEN OLD.state = 'confirmed' AND NEW.state = 'confirmed' AND OLD.amount <> NEW.amount AND NEW.kind IN ('payout', 'refund')
BEGIN
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT OLD.updated_at / 86400000 * each, iif(OLD.kind = 'payout', 'paid', 'refunded'), OLD.token_id, nine, 0, -digits
	FROM (SELECT nine, cast(substr(substr(printf('%081d', 0) || OLD.amount, -81), 73 - 9 * nine, 9) AS integer) AS digits
		FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8) WHERE nine * 9 < length(OLD.amount)) JOIN (SELECT 0 AS each UNION ALL SELECT 1) WHERE digits <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT NEW.updated_at / 86400000 * each, iif(NEW.kind = 'payout', 'paid', 'refunded'), NEW.token_id, nine, 0, digits
	FROM (SELECT nine, cast(substr(substr(printf('%081d', 0) || NEW.amount, -81), 73 - 9 * nine, 9) AS integer) AS digits
		FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8) WHERE nine * 9 < length(NEW.amount)) JOIN (SELECT 0 AS each UNION ALL SELECT 1) WHERE digits <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
END;--> statement-breakpoint
CREATE TRIGGER `payments_sums_delete` AFTER DELETE ON `payments`
WHEN OLD.state = 'confirmed' AND OLD.kind IN ('payout', 'refund')
BEGIN
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT OLD.updated_at / 86400000 * each, iif(OLD.kind = 'payout', 'paid', 'refunded'), OLD.token_id, nine, 0, -digits
	FROM (SELECT nine, cast(substr(substr(printf('%081d', 0) || OLD.amount, -81), 73 - 9 * nine, 9) AS integer) AS digits
		FROM (SELECT 0 AS nine UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8) WHERE nine * 9 < length(OLD.amount)) JOIN (SELECT 0 AS each UNION ALL SELECT 1) WHERE digits <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
END;--> statement-breakpoint
CREATE TRIGGER `payments_gas_days_insert` AFTER INSERT ON `payments` WHEN NEW.gas_used <> 0
BEGIN
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT NEW.updated_at / 86400000 * d.each, 'gas', NEW.chain_id, 0, 0, NEW.gas_used FROM (SELECT 0 AS each UNION ALL SELECT 1) AS d WHERE true
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
END;--> statement-breakpoint
CREATE TRIGGER `payments_gas_days_update` AFTER UPDATE OF gas_used ON `payments` WHEN OLD.gas_used <> NEW.gas_used
BEGIN
	INSERT INTO day_sums (day, kind, subject, place, part, n)
	SELECT NEW.updated_at / 86400000 * d.each, 'gas', NEW.chain_id, 0, 0, NEW.gas_used - OLD.gas_used FROM (SELECT 0 AS each UNION ALL SELECT 1) AS d WHERE true
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = n + excluded.n;
END;--> statement-breakpoint
CREATE TRIGGER `payments_durations` AFTER UPDATE OF state ON `payments`
WHEN NEW.state = 'confirmed' AND OLD.state <> 'confirmed' AND NEW.claim_id IS NOT NULL
BEGIN
	INSERT INTO day_durations (day, kind, bucket, part, n, longest, total)
	SELECT NEW.updated_at / 86400000 * each, 'payment', CASE WHEN ms <= 1000 THEN 1000 WHEN ms <= 2000 THEN 2000 WHEN ms <= 3000 THEN 3000 WHEN ms <= 5000 THEN 5000 WHEN ms <= 7000 THEN 7000 WHEN ms <= 10000 THEN 10000 WHEN ms <= 15000 THEN 15000 WHEN ms <= 20000 THEN 20000 WHEN ms <= 30000 THEN 30000 WHEN ms <= 45000 THEN 45000 WHEN ms <= 60000 THEN 60000 WHEN ms <= 90000 THEN 90000 WHEN ms <= 120000 THEN 120000 WHEN ms <= 180000 THEN 180000 WHEN ms <= 300000 THEN 300000 WHEN ms <= 600000 THEN 600000 WHEN ms <= 900000 THEN 900000 WHEN ms <= 1800000 THEN 1800000 WHEN ms <= 3600000 THEN 3600000 WHEN ms <= 7200000 THEN 7200000 WHEN ms <= 14400000 THEN 14400000 WHEN ms <= 28800000 THEN 28800000 WHEN ms <= 86400000 THEN 86400000 ELSE 9007199254740991 END, 0, 1, ms, ms
	FROM (SELECT cast(min(max(0, NEW.updated_at - created_at), 315360000000) AS integer) AS ms FROM claims WHERE id = NEW.claim_id) JOIN (SELECT 0 AS each UNION ALL SELECT 1) WHERE true
	ON CONFLICT (day, kind, bucket, part) DO UPDATE SET n = n + 1, longest = max(longest, excluded.longest), total = total + excluded.total;
END;--> statement-breakpoint
CREATE TRIGGER `replies_durations` AFTER UPDATE OF state ON `replies`
WHEN NEW.state = 'sent' AND OLD.state <> 'sent' AND NEW.event IS NULL AND NEW.follow_up = 0
BEGIN
	INSERT INTO day_durations (day, kind, bucket, part, n, longest, total)
	SELECT NEW.sent_at / 86400000 * each, 'reply', CASE WHEN ms <= 1000 THEN 1000 WHEN ms <= 2000 THEN 2000 WHEN ms <= 3000 THEN 3000 WHEN ms <= 5000 THEN 5000 WHEN ms <= 7000 THEN 7000 WHEN ms <= 10000 THEN 10000 WHEN ms <= 15000 THEN 15000 WHEN ms <= 20000 THEN 20000 WHEN ms <= 30000 THEN 30000 WHEN ms <= 45000 THEN 45000 WHEN ms <= 60000 THEN 60000 WHEN ms <= 90000 THEN 90000 WHEN ms <= 120000 THEN 120000 WHEN ms <= 180000 THEN 180000 WHEN ms <= 300000 THEN 300000 WHEN ms <= 600000 THEN 600000 WHEN ms <= 900000 THEN 900000 WHEN ms <= 1800000 THEN 1800000 WHEN ms <= 3600000 THEN 3600000 WHEN ms <= 7200000 THEN 7200000 WHEN ms <= 14400000 THEN 14400000 WHEN ms <= 28800000 THEN 28800000 WHEN ms <= 86400000 THEN 86400000 ELSE 9007199254740991 END, 0, 1, ms, ms
	FROM (SELECT cast(min(max(0, NEW.sent_at - posted_at), 315360000000) AS integer) AS ms FROM mentions WHERE id = NEW.mention_id) JOIN (SELECT 0 AS each UNION ALL SELECT 1) WHERE true
	ON CONFLICT (day, kind, bucket, part) DO UPDATE SET n = n + 1, longest = max(longest, excluded.longest), total = total + excluded.total;
END;--> statement-breakpoint
CREATE TRIGGER `replies_count_held` AFTER UPDATE OF held_for ON `replies` WHEN (OLD.held_for IS NULL) <> (NEW.held_for IS NULL)
BEGIN
	INSERT INTO state_counts (subject, state, n) VALUES ('replies', 'held', 0) ON CONFLICT DO NOTHING;
	UPDATE state_counts SET n = n + iif(NEW.held_for IS NULL, -1, 1) WHERE subject = 'replies' AND state = 'held';
END;--> statement-breakpoint
CREATE TRIGGER `replies_count_held_delete` AFTER DELETE ON `replies` WHEN OLD.held_for IS NOT NULL
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'replies' AND state = 'held';
END;
