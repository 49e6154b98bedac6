-- SQLite would write the table anew for another constraint. Its text is edited instead, in the way that SQLite describes: no row changes,
-- and the table below has other connections read the schema again.
PRAGMA writable_schema = ON;--> statement-breakpoint
UPDATE sqlite_schema SET sql = replace(sql, 'CONSTRAINT "claims_source" CHECK(source in (''mention'', ''url'', ''page''))',
	'CONSTRAINT "claims_source" CHECK(source in (''mention'', ''url'', ''page'', ''snap''))')
	WHERE type = 'table' AND name = 'claims';--> statement-breakpoint
PRAGMA writable_schema = RESET;--> statement-breakpoint
-- Fails, and so undoes all of it, unless the table has its new constraint.
CREATE TABLE `__edited` (`tables` integer CHECK(tables = 1));--> statement-breakpoint
INSERT INTO `__edited` SELECT count(*) FROM sqlite_schema
	WHERE type = 'table' AND name = 'claims' AND instr(sql, '(''mention'', ''url'', ''page'', ''snap'')') > 0;--> statement-breakpoint
DROP TABLE `__edited`;
