import { createServer } from 'node:http';
import SqliteDatabase from 'better-sqlite3';
import { COLUMNS, documentOf, type Row, readIdentifiers } from './document.ts';

/** The look-up as one would write it by hand over the same file: node:http, one prepared statement for each platform. */
const { port, path } = JSON.parse(process.argv[2] ?? '{}') as { port: number; path: string };
const database = new SqliteDatabase(path, { readonly: true });
const byFid = database.prepare<[string], Row>(
  `select ${COLUMNS} from tips t join tokens k on k.id = t.token_id
   join accounts a on a.platform = t.platform and a.platform_user_id = t.platform_user_id
   where t.status = 'pending' and t.platform = 'farcaster' and t.platform_user_id = ? order by t.created_at`,
);
const byHandle = database.prepare<[string], Row>(
  `select ${COLUMNS} from accounts a
   join tips t on t.status = 'pending' and t.platform = 'twitter' and t.platform_user_id = a.platform_user_id
   join tokens k on k.id = t.token_id where a.platform = 'twitter' and a.handle = ? order by t.created_at`,
);

createServer((request, response) => {
  const query = new URLSearchParams((request.url ?? '').split('?')[1]);
  const { fids, handles } = readIdentifiers(query.get('identifiers') ?? '');
  const rows = [...fids.flatMap((fid) => byFid.all(fid)), ...handles.flatMap((handle) => byHandle.all(handle))];
  const body = JSON.stringify(documentOf(rows));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}).listen(port, '127.0.0.1');
