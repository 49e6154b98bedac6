// A verifier of bounties: it awards 2.5 to whoever links a design, and refuses all others.
// GIGCLAIM_URL=http://127.0.0.1:3000 PORT=4000 node docs/verifier.ts
import { createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

const { GIGCLAIM_URL, PORT } = process.env;
const known = await fetch(`${GIGCLAIM_URL}/.well-known/gigclaim.json`);
const { verifier } = (await known.json()) as { verifier: { jwk: JsonWebKey } };
const key = createPublicKey({ key: verifier.jwk, format: 'jwk' });

/** Whether gigclaim has signed it in the last five minutes. */
function isSigned(headers: IncomingHttpHeaders, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures = '' } = headers;
  const isFresh = Math.abs(Date.now() / 1000 - Number(seconds)) < 300;
  const signed = Buffer.from(`${id}.${seconds}.${body}`);
  const all = String(signatures)
    .split(' ')
    .filter((each) => each.startsWith('v1a,'));
  return isFresh && all.some((each) => verify(null, signed, key, Buffer.from(each.slice(4), 'base64')));
}

interface Candidate {
  readonly id: number;
  readonly submission: { readonly text: string };
}

function decide({ id, submission }: Candidate) {
  return /https:\/\/design\.example\//.test(submission.text)
    ? { id, award: '2.5' }
    : { id, refuse: 'no link to a design' };
}

const server = createServer(async (request, response) => {
  // What breaks off is empty, so it is not signed.
  const body = await text(request).catch(() => '');
  if (!isSigned(request.headers, body)) return void response.writeHead(401).end();
  const { candidates } = JSON.parse(body) as { candidates: readonly Candidate[] };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ decisions: candidates.map(decide) }));
});
server.listen(Number(PORT), '127.0.0.1', () => void process.stdout.write(`listening on port ${PORT}\n`));
