import { createServer } from 'node:http';
import SqliteDatabase from 'better-sqlite3';
import { documentOf, type Row, readIdentifiers } from './document.ts';
import { SQLITE_BY_FID, SQLITE_BY_HANDLE } from './lookup-queries.ts';

/** The look-up as one would write it by hand over the same file: node:http, one prepared statement for each platform. */
const { port, path } = JSON.parse(process.argv[2] ?? '{}') as { port: number; path: string };
const database = new SqliteDatabase(path, { readonly: true });
const byFid = database.prepare<[string], Row>(SQLITE_BY_FID);
const byHandle = database.prepare<[string], Row>(SQLITE_BY_HANDLE);

createServer((request, response) => {
  const query = new URLSearchParams((request.url ?? '').split('?')[1]);
  const { fids, handles } = readIdentifiers(query.get('identifiers') ?? '');
  const rows = [...fids.flatMap((fid) => byFid.all(fid)), ...handles.flatMap((handle) => byHandle.all(handle))];
  const body = JSON.stringify(documentOf(rows));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}).listen(port, '127.0.0.1');
