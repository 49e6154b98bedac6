-- Sums of all time (day 0) and of each day. Each place of an amount has nine of its digits, so that adding carries nothing. All is
-- filled in from what is there.
CREATE TABLE "day_durations" (
	"day" bigint NOT NULL,
	"kind" text collate "C" NOT NULL,
	"bucket" bigint NOT NULL,
	"part" bigint NOT NULL,
	"n" bigint NOT NULL,
	"longest" bigint NOT NULL,
	"total" bigint NOT NULL,
	CONSTRAINT "day_durations_day_kind_bucket_part_pk" PRIMARY KEY("day","kind","bucket","part"),
	CONSTRAINT "day_durations_kind" CHECK (kind in ('reply', 'payment')),
	CONSTRAINT "day_durations_n" CHECK (n >= 0 and longest >= 0)
);
--> statement-breakpoint
CREATE TABLE "day_sums" (
	"day" bigint NOT NULL,
	"kind" text collate "C" NOT NULL,
	"subject" bigint NOT NULL,
	"place" bigint NOT NULL,
	"part" bigint NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "day_sums_day_kind_subject_place_part_pk" PRIMARY KEY("day","kind","subject","place","part"),
	CONSTRAINT "day_sums_kind" CHECK (kind in ('gigs', 'funded', 'awarded', 'paid', 'settled', 'refunded', 'gas'))
);
--> statement-breakpoint
CREATE INDEX "payments_waiting" ON "payments" USING btree ("created_at") WHERE (payments.state = 'planned' or payments.state = 'sent');--> statement-breakpoint
-- The nine digits of an amount at a place.
CREATE FUNCTION "digits_at"(amount numeric, place integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT mod(div(amount, power(10::numeric, 9 * place)), 1000000000)::bigint;
$$;--> statement-breakpoint
CREATE FUNCTION "duration_bucket"(ms bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN ms <= 1000 THEN 1000 WHEN ms <= 2000 THEN 2000 WHEN ms <= 3000 THEN 3000 WHEN ms <= 5000 THEN 5000 WHEN ms <= 7000 THEN 7000 WHEN ms <= 10000 THEN 10000 WHEN ms <= 15000 THEN 15000 WHEN ms <= 20000 THEN 20000 WHEN ms <= 30000 THEN 30000 WHEN ms <= 45000 THEN 45000 WHEN ms <= 60000 THEN 60000 WHEN ms <= 90000 THEN 90000 WHEN ms <= 120000 THEN 120000 WHEN ms <= 180000 THEN 180000 WHEN ms <= 300000 THEN 300000 WHEN ms <= 600000 THEN 600000 WHEN ms <= 900000 THEN 900000 WHEN ms <= 1800000 THEN 1800000 WHEN ms <= 3600000 THEN 3600000 WHEN ms <= 7200000 THEN 7200000 WHEN ms <= 14400000 THEN 14400000 WHEN ms <= 28800000 THEN 28800000 WHEN ms <= 86400000 THEN 86400000 ELSE 9007199254740991 END;
$$;--> statement-breakpoint
-- Locks rows of day_sums of a part that this transaction holds alone.
CREATE FUNCTION "add_sums"(days bigint[], kinds text[], subjects bigint[], places integer[], changes bigint[]) RETURNS void LANGUAGE sql AS $$
	INSERT INTO day_sums AS sums (day, kind, subject, place, part, n)
	SELECT day, kind, subject, place, (SELECT free_part()), sum(change)::bigint
	FROM unnest(days, kinds, subjects, places, changes) AS changed (day, kind, subject, place, change)
	GROUP BY day, kind, subject, place HAVING sum(change) <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = sums.n + excluded.n;
$$;--> statement-breakpoint
-- Locks rows of day_durations as add_sums does.
CREATE FUNCTION "add_durations"(days bigint[], durations bigint[], which text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO day_durations AS kept (day, kind, bucket, part, n, longest, total)
	SELECT day * each, which, duration_bucket(ms), (SELECT free_part()), count(*), max(ms), sum(ms)::bigint
	FROM (SELECT day, least(greatest(ms, 0), 315360000000) AS ms FROM unnest(days, durations) AS given (day, ms)) AS took, generate_series(0, 1) AS each
	GROUP BY day * each, duration_bucket(ms)
	ON CONFLICT (day, kind, bucket, part) DO UPDATE SET n = kept.n + excluded.n, longest = greatest(kept.longest, excluded.longest), total = kept.total + excluded.total;
$$;--> statement-breakpoint
-- What the row of a gig adds to the sums of its token. Volatile, because PostgreSQL 18 cannot plan it inlined with a whole row.
CREATE FUNCTION "sums_of_gig"(gig gigs) RETURNS TABLE (kind text, place integer, n bigint) LANGUAGE sql AS $$
	SELECT 'gigs', 0, (gig.status = 'live')::integer::bigint
	UNION ALL SELECT 'funded', place, digits_at(gig.reward_amount, place) + digits_at(gig.fee_amount, place)
		FROM generate_series(0, 8) AS place WHERE gig.status = 'live'
	UNION ALL SELECT 'awarded', place, digits_at(gig.awarded_amount, place) FROM generate_series(0, 8) AS place
	UNION ALL SELECT 'settled', place, digits_at(gig.reward_amount, place) - digits_at(gig.awarded_amount, place)
		FROM generate_series(0, 8) AS place WHERE gig.settled_at IS NOT NULL;
$$;--> statement-breakpoint
CREATE FUNCTION "sum_gig"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM add_sums(array_agg(0::bigint), array_agg(kind), array_agg(NEW.token_id), array_agg(place), array_agg(n)) FROM sums_of_gig(NEW);
	IF tg_op = 'UPDATE' THEN
		PERFORM add_sums(array_agg(0::bigint), array_agg(kind), array_agg(NEW.token_id), array_agg(place), array_agg(-n)) FROM sums_of_gig(OLD);
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
-- What confirmed payouts and refunds add, and what gas they used; a negative sign takes back.
CREATE FUNCTION "add_payment_sums"(signs integer[], states text[], kinds text[], tokens bigint[], amounts numeric[], times bigint[], chains bigint[], gas bigint[]) RETURNS void LANGUAGE sql AS $$
	SELECT add_sums(array_agg(day * total), array_agg(kind), array_agg(subject), array_agg(place), array_agg(n)) FROM (
		SELECT at / 86400000 AS day, CASE kind WHEN 'payout' THEN 'paid' ELSE 'refunded' END AS kind, token AS subject, place, sign * digits_at(amount, place) AS n
		FROM unnest(signs, states, kinds, tokens, amounts, times) AS paid (sign, state, kind, token, amount, at), generate_series(0, 8) AS place
		WHERE state = 'confirmed' AND kind IN ('payout', 'refund')
		UNION ALL SELECT at / 86400000, 'gas', chain, 0, used
		FROM unnest(times, chains, gas) AS spent (at, chain, used) WHERE used <> 0
	) AS changes, generate_series(0, 1) AS total;
$$;--> statement-breakpoint
-- Gas counts on the day on which it was noted, and stays when its payment is deleted.
CREATE FUNCTION "sum_payments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	CASE tg_op
	WHEN 'INSERT' THEN
		PERFORM add_payment_sums(array_agg(1), array_agg(state), array_agg(kind), array_agg(token_id), array_agg(amount), array_agg(updated_at), array_agg(chain_id), array_agg(gas_used)) FROM added;
	WHEN 'DELETE' THEN
		PERFORM add_payment_sums(array_agg(-1), array_agg(state), array_agg(kind), array_agg(token_id), array_agg(amount), array_agg(updated_at), array_agg(chain_id), array_agg(0::bigint)) FROM removed;
	ELSE
		PERFORM add_payment_sums(array_agg(sign), array_agg(state), array_agg(kind), array_agg(token_id), array_agg(amount), array_agg(updated_at), array_agg(chain_id), array_agg(gas)) FROM (
			SELECT -1 AS sign, state, kind, token_id, amount, updated_at, chain_id, 0::bigint AS gas FROM removed
			UNION ALL SELECT 1, a.state, a.kind, a.token_id, a.amount, a.updated_at, a.chain_id, a.gas_used - r.gas_used
			FROM added AS a JOIN removed AS r ON r.id = a.id
		) AS changed;
		PERFORM add_durations(array_agg(a.updated_at / 86400000), array_agg(a.updated_at - claims.created_at), 'payment')
		FROM added AS a JOIN removed AS r ON r.id = a.id JOIN claims ON claims.id = a.claim_id
		WHERE a.state = 'confirmed' AND r.state <> 'confirmed';
	END CASE;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "time_reply"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM add_durations(ARRAY[NEW.sent_at / 86400000], ARRAY[NEW.sent_at - posted_at], 'reply') FROM mentions WHERE id = NEW.mention_id;
	RETURN NULL;
END $$;--> statement-breakpoint
-- Locks as count_state does.
CREATE FUNCTION "count_held"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO state_count_parts AS parts (subject, state, part, n)
	VALUES ('replies', 'held', free_part(), CASE WHEN tg_op = 'DELETE' OR NEW.held_for IS NULL THEN -1 ELSE 1 END)
	ON CONFLICT (subject, state, part) DO UPDATE SET n = parts.n + excluded.n;
	RETURN NULL;
END $$;--> statement-breakpoint
SELECT add_sums(array_agg(0::bigint), array_agg(kind), array_agg(gigs.token_id), array_agg(place), array_agg(n)) FROM gigs, sums_of_gig(gigs);--> statement-breakpoint
SELECT add_payment_sums(array_agg(1), array_agg(state), array_agg(kind), array_agg(token_id), array_agg(amount), array_agg(updated_at), array_agg(chain_id), array_agg(gas_used)) FROM payments;--> statement-breakpoint
SELECT add_durations(array_agg(payments.updated_at / 86400000), array_agg(payments.updated_at - claims.created_at), 'payment')
FROM payments JOIN claims ON claims.id = payments.claim_id WHERE payments.state = 'confirmed';--> statement-breakpoint
SELECT add_durations(array_agg(replies.sent_at / 86400000), array_agg(replies.sent_at - mentions.posted_at), 'reply')
FROM replies JOIN mentions ON mentions.id = replies.mention_id WHERE replies.state = 'sent' AND replies.event IS NULL AND NOT replies.follow_up;--> statement-breakpoint
INSERT INTO state_count_parts (subject, state, part, n) SELECT 'replies', 'held', 0, count(*) FROM replies WHERE held_for IS NOT NULL;--> statement-breakpoint
CREATE TRIGGER "gigs_sums_insert" AFTER INSERT ON "gigs"
	FOR EACH ROW WHEN (NEW.status = 'live' OR NEW.awarded_amount <> 0) EXECUTE FUNCTION sum_gig();--> statement-breakpoint
CREATE TRIGGER "gigs_sums_update" AFTER UPDATE OF status, awarded_amount, settled_at ON "gigs"
	FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.awarded_amount <> NEW.awarded_amount OR OLD.settled_at IS DISTINCT FROM NEW.settled_at) EXECUTE FUNCTION sum_gig();--> statement-breakpoint
CREATE TRIGGER "payments_sums_insert" AFTER INSERT ON "payments" REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION sum_payments();--> statement-breakpoint
CREATE TRIGGER "payments_sums_update" AFTER UPDATE ON "payments" REFERENCING OLD TABLE AS removed NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION sum_payments();--> statement-breakpoint
CREATE TRIGGER "payments_sums_delete" AFTER DELETE ON "payments" REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION sum_payments();--> statement-breakpoint
CREATE TRIGGER "replies_durations" AFTER UPDATE OF state ON "replies"
	FOR EACH ROW WHEN (NEW.state = 'sent' AND OLD.state <> 'sent' AND NEW.event IS NULL AND NOT NEW.follow_up) EXECUTE FUNCTION time_reply();--> statement-breakpoint
CREATE TRIGGER "replies_count_held" AFTER UPDATE OF held_for ON "replies"
	FOR EACH ROW WHEN ((OLD.held_for IS NULL) <> (NEW.held_for IS NULL)) EXECUTE FUNCTION count_held();--> statement-breakpoint
CREATE TRIGGER "replies_count_held_delete" AFTER DELETE ON "replies"
	FOR EACH ROW WHEN (OLD.held_for IS NOT NULL) EXECUTE FUNCTION count_held();
