-- A column is added, because a table that is built anew would lose its triggers and the last id of a gig.
ALTER TABLE `gigs` ADD `funding_hash` text CONSTRAINT "gigs_funding_hash" CHECK(length(funding_hash) = 66 and funding_hash glob '0x*' and substr(funding_hash, 3) not glob '*[^0-9a-f]*');
