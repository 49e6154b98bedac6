import express from 'express';
import pg from 'pg';
import { documentOf, type Row, readIdentifiers } from './document.ts';
import { POSTGRES_LOOKUP } from './lookup-queries.ts';

/** The usual stack: Express, node-postgres with a pool, one named (prepared) statement for everything that is asked. */
const { port, database } = JSON.parse(process.argv[2] ?? '{}') as { port: number; database: pg.PoolConfig };
// int8 as a number: all of these are times and ids.
pg.types.setTypeParser(20, Number);
const pool = new pg.Pool({ ...database, max: 10 });
const LOOKUP = { name: 'claimable', text: POSTGRES_LOOKUP };

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
