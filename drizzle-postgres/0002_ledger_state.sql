CREATE TABLE "ledger_state" (
	"id" bigint PRIMARY KEY NOT NULL,
	"word" text collate "C",
	"tip_floor" bigint DEFAULT 0 NOT NULL,
	"beat_at" bigint,
	CONSTRAINT "ledger_state_single" CHECK (id = 1),
	CONSTRAINT "ledger_state_tip_floor" CHECK (tip_floor is not null and tip_floor between 0 and 9007199254740991)
);--> statement-breakpoint
-- Passes over at least 1,000 ids of gigs, so that the next one is 1 above a multiple of 1,000, and gives the first and the last of
-- those that it passed over. Step by step, because a sequence that is set could be set back behind ids that others take meanwhile.
CREATE FUNCTION "skip_gig_ids"(OUT "first" bigint, OUT "last" bigint) LANGUAGE plpgsql AS $$
BEGIN
	SELECT last_value + is_called::int INTO "first" FROM gigs_id_seq;
	"last" := ("first" + 1998) / 1000 * 1000;
	WHILE nextval('gigs_id_seq') < "last" LOOP END LOOP;
END $$;--> statement-breakpoint
-- Notes the server; when it is another one, stops all payments and skips the ids that gigs may have been given and that were lost
-- since. Of several transactions that notice it one changes the row. One that is undone has skipped ids that are skipped again.
CREATE OR REPLACE FUNCTION "note_server"() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	skipped record;
BEGIN
	IF EXISTS (SELECT 1 FROM server_identity WHERE server = server_now()) THEN
		RETURN;
	END IF;
	INSERT INTO server_identity (server) VALUES (server_now()) ON CONFLICT DO NOTHING;
	UPDATE server_identity SET server = server_now(), stopped_at = coalesce(stopped_at, clock_timestamp())
	WHERE server <> server_now();
	IF found THEN
		SELECT * INTO skipped FROM skip_gig_ids();
		INSERT INTO audit_events (at, actor, actor_name, action, subject, subject_id, detail)
		VALUES ((extract(epoch from clock_timestamp()) * 1000)::bigint, 'job', 'ids', 'ids.skip', 'store', 'ids',
			json_build_object('first', skipped."first", 'last', skipped."last", 'reason', 'server')::text);
	END IF;
END $$;
