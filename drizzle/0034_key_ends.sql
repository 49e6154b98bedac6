-- Webhooks are paused when the key expires that they rest on: those of keys that work now, and that no other key has replaced.
ALTER TABLE `webhook_endpoints` ADD `ends_with_key` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE webhook_endpoints SET ends_with_key = 1
WHERE api_key_id IN (SELECT id FROM api_keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > unixepoch() * 1000))
AND api_key_id NOT IN (SELECT CAST(subject_id AS INTEGER) FROM audit_events WHERE action = 'key.rotate');
