-- Triggers sum up what has changed alone. Before version 18, PostgreSQL plans a function in SQL anew in each statement that
-- calls it, unless it can be inlined: those that cannot are in PL/pgSQL, whose plans a session keeps.
CREATE OR REPLACE FUNCTION "gig_for_share"(gig bigint) RETURNS gigs LANGUAGE plpgsql AS $$
DECLARE
	found_gig gigs;
BEGIN
	SELECT * INTO found_gig FROM gigs WHERE id = gig FOR SHARE;
	RETURN found_gig;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "draw_for_share"(gig bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT state FROM draws WHERE gig_id = gig FOR SHARE);
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "server_now"() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (
		SELECT format('system %s, timeline %s, database %s, table %s', system_identifier,
			('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int,
			(SELECT oid FROM pg_database WHERE datname = current_database()), 'server_identity'::regclass::oid)
		FROM pg_control_system()
	);
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "add_earnings"(gigs bigint[], states text[], changes integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO earning_count_parts AS parts (gig_id, state, part, n)
	SELECT gig_id, state, (SELECT free_part()), sum(change)
	FROM unnest(gigs, states, changes) AS changed (gig_id, state, change)
	GROUP BY gig_id, state HAVING sum(change) <> 0
	ON CONFLICT (gig_id, state, part) DO UPDATE SET n = parts.n + excluded.n;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "add_sums"(days bigint[], kinds text[], subjects bigint[], places integer[], changes bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO day_sums AS sums (day, kind, subject, place, part, n)
	SELECT day, kind, subject, place, (SELECT free_part()), sum(change)::bigint
	FROM unnest(days, kinds, subjects, places, changes) AS changed (day, kind, subject, place, change)
	GROUP BY day, kind, subject, place HAVING sum(change) <> 0
	ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = sums.n + excluded.n;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "add_durations"(days bigint[], durations bigint[], which text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO day_durations AS kept (day, kind, bucket, part, n, longest, total)
	SELECT day * each, which, duration_bucket(ms), (SELECT free_part()), count(*), max(ms), sum(ms)::bigint
	FROM (SELECT day, least(greatest(ms, 0), 315360000000) AS ms FROM unnest(days, durations) AS given (day, ms)) AS took, generate_series(0, 1) AS each
	GROUP BY day * each, duration_bucket(ms)
	ON CONFLICT (day, kind, bucket, part) DO UPDATE SET n = kept.n + excluded.n, longest = greatest(kept.longest, excluded.longest), total = kept.total + excluded.total;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "add_payment_sums"(signs integer[], states text[], kinds text[], tokens bigint[], amounts numeric[], times bigint[], chains bigint[], gas bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM add_sums(array_agg(day * total), array_agg(kind), array_agg(subject), array_agg(place), array_agg(n)) FROM (
		SELECT at / 86400000 AS day, CASE kind WHEN 'payout' THEN 'paid' ELSE 'refunded' END AS kind, token AS subject, place, sign * digits_at(amount, place) AS n
		FROM unnest(signs, states, kinds, tokens, amounts, times) AS paid (sign, state, kind, token, amount, at), generate_series(0, 8) AS place
		WHERE state = 'confirmed' AND kind IN ('payout', 'refund')
		UNION ALL SELECT at / 86400000, 'gas', chain, 0, used
		FROM unnest(times, chains, gas) AS spent (at, chain, used) WHERE used <> 0
	) AS changes, generate_series(0, 1) AS total
	HAVING count(*) > 0;
END $$;--> statement-breakpoint
-- Adds a change to a sum of all time: its places that are not zero, each with its sign. They are added one by one, because a
-- plan for many would be made anew for their number.
CREATE FUNCTION "add_change"(of_kind text, of_subject bigint, change numeric) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	own_part CONSTANT integer := free_part();
	rest numeric := change;
	nine integer := 0;
	digits bigint;
BEGIN
	WHILE rest <> 0 LOOP
		digits := mod(rest, 1000000000);
		rest := div(rest, 1000000000);
		IF digits <> 0 THEN
			INSERT INTO day_sums AS sums (day, kind, subject, place, part, n)
			VALUES (0, of_kind, of_subject, nine, own_part, digits)
			ON CONFLICT (day, kind, subject, place, part) DO UPDATE SET n = sums.n + excluded.n;
		END IF;
		nine := nine + 1;
	END LOOP;
END $$;--> statement-breakpoint
-- OLD is null when a gig is inserted.
CREATE OR REPLACE FUNCTION "sum_gig"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	awarded numeric := NEW.awarded_amount - coalesce(OLD.awarded_amount, 0);
	lives integer := (NEW.status = 'live')::integer - coalesce((OLD.status = 'live')::integer, 0);
	funded numeric := CASE WHEN NEW.status = 'live' THEN NEW.reward_amount + NEW.fee_amount ELSE 0 END
		- CASE WHEN OLD.status = 'live' THEN OLD.reward_amount + OLD.fee_amount ELSE 0 END;
	settled numeric := CASE WHEN NEW.settled_at IS NOT NULL THEN NEW.reward_amount - NEW.awarded_amount ELSE 0 END
		- CASE WHEN OLD.settled_at IS NOT NULL THEN OLD.reward_amount - OLD.awarded_amount ELSE 0 END;
BEGIN
	IF awarded <> 0 THEN PERFORM add_change('awarded', NEW.token_id, awarded); END IF;
	IF lives <> 0 THEN PERFORM add_change('gigs', NEW.token_id, lives); END IF;
	IF funded <> 0 THEN PERFORM add_change('funded', NEW.token_id, funded); END IF;
	IF settled <> 0 THEN PERFORM add_change('settled', NEW.token_id, settled); END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
DROP FUNCTION "sums_of_gig";
