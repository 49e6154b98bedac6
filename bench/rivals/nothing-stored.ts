import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

/** What every safe webhook does before it stores anything, on bare `node:http`: whatever keeps events is slower than this. */
const { port, secret } = JSON.parse(process.argv[2] ?? '{}') as { port: number; secret: string };

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const expected = createHmac('sha512', secret).update(body).digest();
    const claimed = Buffer.from(String(request.headers['x-neynar-signature'] ?? ''), 'hex');
    const signed = claimed.length === expected.length && timingSafeEqual(claimed, expected);
    const known = signed && (JSON.parse(body.toString()) as { data: { hash: string } }).data.hash !== '';
    const text = JSON.stringify({ received: known });
    const status = known || request.method === 'GET' ? 200 : 401;
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
}).listen(port, '127.0.0.1');
