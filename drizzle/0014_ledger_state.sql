CREATE TABLE `ledger_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`word` text,
	`tip_floor` integer DEFAULT 0 NOT NULL,
	`beat_at` integer,
	CONSTRAINT "ledger_state_single" CHECK(id = 1),
	CONSTRAINT "ledger_state_tip_floor" CHECK(typeof(tip_floor) = 'integer' and tip_floor between 0 and 9007199254740991)
);
