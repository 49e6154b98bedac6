-- A managed host may keep parts of its server's identity from its users: Aurora has no log with a name. What is unknown is named
-- so, and the rest still tells servers apart. On Neon a branch that is set back to an earlier moment has all of them in common with
-- the one before; its timeline there is another one.
CREATE OR REPLACE FUNCTION "server_now"() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found_system text := 'unknown';
	found_timeline text := 'unknown';
	branch text := nullif(current_setting('neon.timeline_id', true), '');
BEGIN
	BEGIN
		found_system := (SELECT system_identifier FROM pg_control_system());
	EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
		NULL;
	END;
	BEGIN
		found_timeline := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int;
	EXCEPTION
		WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
			NULL;
		WHEN object_not_in_prerequisite_state THEN
			-- A standby is no server without a timeline.
			IF pg_is_in_recovery() THEN
				RAISE;
			END IF;
	END;
	RETURN format('system %s, timeline %s, database %s, table %s%s', found_system, found_timeline,
		(SELECT oid FROM pg_database WHERE datname = current_database()), 'server_identity'::regclass::oid, ', branch ' || branch);
END $$;
