#!/usr/bin/env node
// Repeats the draw of a raffle from what is public, with nothing but Node (18 or later).
//
//   node check-draw.mjs <address of the service> <gig> [--rpc=<url>] [--commitment=<hex>] [--root=<hex>]
//
// --rpc asks an endpoint of the gig's chain, which need not be the service's, for the block. --commitment and --root are
// what you noted before the draw. Exit codes: 0 all is right, 1 something differs, 2 there is nothing to check yet.
import { createHash } from 'node:crypto';

const [service, gig, ...rest] = process.argv.slice(2);
const options = Object.fromEntries(rest.map((text) => text.replace(/^--/, '').split(/=(.*)/s).slice(0, 2)));
const unknown = Object.keys(options).filter((name) => !['rpc', 'commitment', 'root'].includes(name));

const say = (text) => process.stdout.write(`${text}\n`);
const bytes = (hex) => Buffer.from(String(hex).replace(/^0x/, ''), 'hex');
const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest('hex');
let differences = 0;

function check(what, found, expected) {
  const isSame = String(found) === String(expected);
  if (!isSame) differences += 1;
  say(isSame ? `ok      ${what}` : `DIFFERS ${what}: ${found}, but it should be ${expected}`);
}

function end(code, text) {
  say(text);
  process.exit(code);
}

async function read(path) {
  const response = await fetch(`${service.replace(/\/$/, '')}/api/gigs/${gig}/draw${path}`);
  if (!response.ok) end(2, `The service answered with ${response.status}: ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

async function ask(method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(options.rpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result } = await response.json();
  if (result == null) end(1, `The endpoint gave no result to ${method}.`);
  return result;
}

/** The block is the first one of the chain with the time or a later one. */
async function checkBlock({ block, chain_id, not_before }) {
  const number = (value) => `0x${value.toString(16)}`;
  check('the endpoint serves the chain of the gig', Number(await ask('eth_chainId', [])), chain_id);
  const found = await ask('eth_getBlockByNumber', [number(BigInt(block.number)), false]);
  check('the hash of the block', found.hash, block.hash);
  check('the time of the block', Number(found.timestamp) * 1000, Date.parse(block.time));
  if (BigInt(block.number) === 0n) return;
  const before = await ask('eth_getBlockByNumber', [number(BigInt(block.number) - 1n), false]);
  check('the block before it is its parent', found.parentHash, before.hash);
  check('the block before it is too early', Number(before.timestamp) * 1000 < Date.parse(not_before), true);
}

if (service === undefined || !/^[1-9][0-9]*$/.test(gig ?? '') || unknown.length > 0) {
  end(2, 'Usage: node check-draw.mjs <address of the service> <gig> [--rpc=<url>] [--commitment=<hex>] [--root=<hex>]');
}

const { data: draw } = JSON.parse(String(await read('')));
if (draw.state !== 'drawn') end(2, `Gig ${gig} is not drawn yet: its draw is ${draw.state}.`);
const text = await read('/entrants');
const lines = String(text).split('\n').slice(0, -1);
const sorted = [...new Set(lines)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

check('the commitment is the hash of the secret', sha256(bytes(draw.secret)), draw.commitment);
check('the secret has 32 bytes', bytes(draw.secret).length, 32);
if (options.commitment) check('the commitment is the one that you noted', draw.commitment, options.commitment);
check('every entrant is there once, in order', lines.join('\n'), sorted.join('\n'));
check('the number of entrants', lines.length, draw.entrants);
check('the root is the hash of the entrants', sha256(text), draw.root);
if (options.root) check('the root is the one that you noted', draw.root, options.root);
check(
  'the time of the block is a minute after the fixing',
  Date.parse(draw.not_before) - Date.parse(draw.fixed_at),
  60_000,
);
check('the block is not earlier', Date.parse(draw.block.time) >= Date.parse(draw.not_before), true);
if (options.rpc) await checkBlock(draw);
const seed = sha256(bytes(draw.secret), bytes(draw.block.hash), bytes(draw.root));
check('the seed', draw.seed, seed);
const tickets = lines.map((line) => ({ line, ticket: sha256(bytes(seed), Buffer.from(line)) }));
tickets.sort((a, b) => (a.ticket < b.ticket ? -1 : 1));
const told = (winners) => winners.map(({ line, ticket }) => `${line} ${ticket}`).join(', ');
check('the winners have the lowest tickets', told(draw.winners), told(tickets.slice(0, draw.places)));
check(
  'the winners are named by their lines',
  draw.winners.every((winner) => winner.line.endsWith(`:${winner.platform_user_id}`)),
  true,
);

if (differences > 0) end(1, `The draw of gig ${gig} is NOT right: ${differences} of the checks differ.`);
if (!options.rpc) say('not asked: the block. Compare its hash with an explorer, or give --rpc=<url>.');
say(
  `OK: of ${lines.length} entrants ${draw.winners.length} were drawn as the commitment, the entrants and the block decide.`,
);
