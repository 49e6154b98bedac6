-- Payments are counted once for a statement, because one transaction of the gas tank has hundreds of them.
DROP TRIGGER "payments_count" ON "payments";--> statement-breakpoint
DROP TRIGGER "payments_count_update" ON "payments";--> statement-breakpoint
DROP TRIGGER "payments_gas_insert" ON "payments";--> statement-breakpoint
DROP TRIGGER "payments_gas_update" ON "payments";--> statement-breakpoint
DROP FUNCTION "add_gas"();--> statement-breakpoint
-- Locks as count_state does, and the rows of the gigs whose gas changes, until the end of the transaction. So a transaction that
-- changes payments of several gigs must do so in the order of the gigs' ids.
CREATE FUNCTION "add_payments"(gigs bigint[], states text[], changes integer[], gas bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	gas_of record;
BEGIN
	INSERT INTO state_count_parts AS parts (subject, state, part, n)
	SELECT 'payments', state, (SELECT free_part()), sum(change)
	FROM unnest(states, changes) AS changed (state, change)
	GROUP BY state HAVING sum(change) <> 0
	ON CONFLICT (subject, state, part) DO UPDATE SET n = parts.n + excluded.n;
	FOR gas_of IN
		SELECT gig_id, sum(used)::bigint AS used FROM unnest(gigs, gas) AS changed (gig_id, used)
		GROUP BY gig_id HAVING sum(used) <> 0 ORDER BY gig_id
	LOOP
		UPDATE gigs SET gas_used = gas_used + gas_of.used WHERE id = gas_of.gig_id;
	END LOOP;
END $$;--> statement-breakpoint
-- What a payment has used stays used when its row is deleted.
CREATE FUNCTION "count_payments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	CASE tg_op
	WHEN 'INSERT' THEN
		PERFORM add_payments(array_agg(gig_id), array_agg(state), array_agg(1), array_agg(gas_used)) FROM added;
	WHEN 'DELETE' THEN
		PERFORM add_payments(NULL, array_agg(state), array_agg(-1), NULL) FROM removed;
	ELSE
		PERFORM add_payments(array_agg(gig_id), array_agg(state), array_agg(change), array_agg(gas)) FROM (
			SELECT gig_id, state, -1 AS change, -gas_used AS gas FROM removed
			UNION ALL SELECT gig_id, state, 1, gas_used FROM added
		) AS changed;
	END CASE;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "payments_count_insert" AFTER INSERT ON "payments" REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION count_payments();--> statement-breakpoint
CREATE TRIGGER "payments_count_update" AFTER UPDATE ON "payments" REFERENCING OLD TABLE AS removed NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION count_payments();--> statement-breakpoint
CREATE TRIGGER "payments_count_delete" AFTER DELETE ON "payments" REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION count_payments();--> statement-breakpoint
-- Waiting mentions are not counted: without the conditions each arrival would call the function for nothing.
DROP TRIGGER "mentions_count" ON "mentions";--> statement-breakpoint
CREATE TRIGGER "mentions_count_insert" AFTER INSERT ON "mentions"
	FOR EACH ROW WHEN (NEW.state <> 'received') EXECUTE FUNCTION count_state();--> statement-breakpoint
CREATE TRIGGER "mentions_count_delete" AFTER DELETE ON "mentions"
	FOR EACH ROW WHEN (OLD.state <> 'received') EXECUTE FUNCTION count_state();
