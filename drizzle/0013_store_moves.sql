CREATE TABLE `store_moves` (
	`id` integer PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`move` text NOT NULL,
	`other` text NOT NULL,
	CONSTRAINT "store_moves_single" CHECK(id = 1),
	CONSTRAINT "store_moves_state" CHECK(state = 'moving' or state = 'moved' or state = 'arriving' or state = 'arrived')
);
