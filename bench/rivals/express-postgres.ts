import express from 'express';
import pg from 'pg';
import { COLUMNS, documentOf, type Row, readIdentifiers } from './document.ts';

/** The usual stack: Express, node-postgres with a pool, one named (prepared) statement for everything that is asked. */
const { port, database } = JSON.parse(process.argv[2] ?? '{}') as { port: number; database: pg.PoolConfig };
// int8 as a number: all of these are times and ids.
pg.types.setTypeParser(20, Number);
const pool = new pg.Pool({ ...database, max: 10 });
const LOOKUP = {
  name: 'claimable',
  text: `select * from (
    select ${COLUMNS} from tips t join tokens k on k.id = t.token_id
    join accounts a on a.platform = t.platform and a.platform_user_id = t.platform_user_id
    where t.status = 'pending' and t.platform = 'farcaster' and t.platform_user_id = any($1)
    union all
    select ${COLUMNS} from accounts a
    join tips t on t.status = 'pending' and t.platform = 'twitter' and t.platform_user_id = a.platform_user_id
    join tokens k on k.id = t.token_id where a.platform = 'twitter' and a.handle = any($2)
  ) found order by created_at, id`,
};

const app = express();
// Left on, they would cost it a hash of every answer.
app.disable('etag');
app.disable('x-powered-by');
app.get('/api/claim', async (request, response) => {
  const { fids, handles } = readIdentifiers(String(request.query['identifiers'] ?? ''));
  const { rows } = await pool.query<Row>({ ...LOOKUP, values: [fids, handles] });
  response.json(documentOf(rows));
});
app.listen(port, '127.0.0.1');
