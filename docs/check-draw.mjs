#!/usr/bin/env node
// Repeats the draw of a raffle from what is public, with nothing but Node (18 or later).
//
//   node check-draw.mjs <address of the service> <gig> [--rpc=<url>] [--commitment=<hex>] [--root=<hex>]
//                                                      [--places=<number>] [--not-before=<time>]
//
// --rpc asks an endpoint of the gig's chain, which need not be the service's, for the block. The others are what you noted
// before the draw: the commitment and the root; for a root of version 1 also the number of places and the time of the
// block, which it does not cover. What a service or an endpoint says is printed as JSON in ASCII only.
// Exit codes: 0 all is right, 1 something differs, 2 there is nothing to check yet, or not enough to prove it.
import { createHash } from 'node:crypto';

const USAGE =
  'Usage: node check-draw.mjs <address of the service> <gig> [--rpc=<url>] [--commitment=<hex>] [--root=<hex>] [--places=<number>] [--not-before=<time>]';
const NAMES = ['rpc', 'commitment', 'root', 'places', 'not-before'];
const MAX_BYTES = 256 * 1024 * 1024;
const HEX = /^[0-9a-f]{64}$/;

const [service, gig, ...rest] = process.argv.slice(2);
const given = rest.map((text) => /^--([a-z-]+)=(.+)$/s.exec(text) ?? []);
const noted = Object.fromEntries(given.map(([, name, value]) => [name, value]));

const say = (text) => process.stdout.write(`${text}\n`);
/** Any value as JSON, without a character that a terminal could take for more than text. */
const shown = (value) =>
  (JSON.stringify(value) ?? 'nothing').replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
const bytes = (hex) => Buffer.from(hex.replace(/^0x/, ''), 'hex');
const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest('hex');
let differences = 0;

/** Ends with an exit code and a sentence. */
class End extends Error {
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

function check(what, found, expected) {
  const isSame = JSON.stringify(found) === JSON.stringify(expected);
  if (!isSame) differences += 1;
  say(isSame ? `ok      ${what}` : `DIFFERS ${what}: ${shown(found)}, but it should be ${shown(expected)}`);
}

/** A value that must have a form; nothing can be checked with one that has not. */
function need(what, value, isRight) {
  if (isRight(value)) return value;
  throw new End(1, `DIFFERS ${what}: ${shown(value)} has not the form of it`);
}

const isText = (pattern) => (value) => typeof value === 'string' && pattern.test(value);
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
/** In UTC: what has no zone is another time in each. */
const isTime = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(value) && !Number.isNaN(Date.parse(value));
const isObject = (value) => typeof value === 'object' && value !== null;

async function fetched(what, ...request) {
  try {
    const response = await fetch(...request);
    const parts = [];
    let size = 0;
    for await (const part of response.body ?? []) {
      size += part.length;
      if (size > MAX_BYTES) throw new Error('it answers with too much');
      parts.push(part);
    }
    return { status: response.status, body: Buffer.concat(parts) };
  } catch (error) {
    throw new End(2, `${what} does not answer: ${shown(String(error?.cause?.message ?? error?.message))}`);
  }
}

function parsed(what, body) {
  try {
    return JSON.parse(String(body));
  } catch {
    throw new End(1, `${what} did not answer with JSON: ${shown(String(body).slice(0, 200))}`);
  }
}

async function read(path) {
  const url = `${service.replace(/\/$/, '')}/api/gigs/${gig}${path}`;
  const { status, body } = await fetched('The service', url);
  if (status !== 200) throw new End(2, `The service answered with ${status}: ${shown(String(body).slice(0, 500))}`);
  return body;
}

async function readData(path) {
  const answer = parsed('The service', await read(path));
  return need('the answer of the service', answer?.data, isObject);
}

async function ask(method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const answer = await fetched('The endpoint', noted.rpc, init);
  const result = parsed('The endpoint', answer.body)?.result ?? null;
  if (result === null) throw new End(1, `The endpoint gave no result to ${method}.`);
  return result;
}

async function askBlock(number) {
  const found = await ask('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
  need('the block of the endpoint', found, isObject);
  const time = Number(need('the time of the block', found.timestamp, isText(/^0x[0-9a-f]{1,12}$/i))) * 1000;
  return { hash: found.hash, parentHash: found.parentHash, time };
}

/** The block is the first one of the chain with the time or a later one. */
async function checkBlock(block, { chainId, notBefore }) {
  check('the endpoint serves the chain of the gig', Number(await ask('eth_chainId', [])), chainId);
  const number = BigInt(block.number);
  const found = await askBlock(number);
  check('the hash of the block', found.hash, block.hash);
  check('the time of the block', found.time, Date.parse(block.time));
  if (number === 0n) return;
  const before = await askBlock(number - 1n);
  check('the block before it is its parent', found.parentHash, before.hash);
  check('the block before it is too early', before.time < Date.parse(notBefore), true);
}

/** What the gig's own record says of its chain and its raffle. */
async function readTerms() {
  const record = await readData('');
  const chainId = need('the chain of the gig', record.chain?.chain_id, isCount);
  return { chainId, places: need('the winners of the gig', record.earning_rules?.rule?.winners, isCount) };
}

function readDraw(draw) {
  if (draw.state !== 'drawn') throw new End(2, `Gig ${gig} is not drawn yet: its draw is ${shown(draw.state)}.`);
  const block = need('the block', draw.block, isObject);
  need('the number of the block', block.number, isText(/^[0-9]{1,20}$/));
  need('the hash of the block', block.hash, isText(/^0x[0-9a-f]{64}$/));
  need('the time of the block', block.time, isTime);
  for (const name of ['secret', 'root', 'seed']) need(`the ${name}`, draw[name], isText(HEX));
  for (const name of ['fixed_at', 'not_before']) need(`the time ${name}`, draw[name], isTime);
  need('the version of the root', draw.root_version ?? 1, (value) => value === 1 || value === 2);
  need('the winners', draw.winners, (value) => Array.isArray(value) && value.every(isObject));
  return draw;
}

/** What was noted before the draw, and is enough to prove that no other draw took its place. */
function checkNotes(draw) {
  const plain = (text) => text.trim().toLowerCase().replace(/^0x/, '');
  const note = (name, what, found) => noted[name] && check(`${what} that you noted`, String(found), plain(noted[name]));
  note('commitment', 'the commitment is the one', draw.commitment);
  note('root', 'the root is the one', draw.root);
  note('places', 'the number of places is the one', draw.places);
  if (noted['not-before']) {
    const told = 'the time of the block is the one that you noted';
    check(told, Date.parse(draw.not_before), Date.parse(noted['not-before']));
  }
}

/** Platforms that lines call by another name than records do. */
const IN_LINES = new Map([['x', 'twitter']]);

function checkWinners(draw, lines, { seed, places }) {
  const tickets = lines.map((line) => ({ line, ticket: sha256(bytes(seed), Buffer.from(line)) }));
  tickets.sort((a, b) => (`${a.ticket} ${a.line}` < `${b.ticket} ${b.line}` ? -1 : 1));
  const told = (winners) => winners.map(({ line, ticket }) => ({ line, ticket }));
  check('the winners have the lowest tickets', told(draw.winners), told(tickets.slice(0, places)));
  const named = ({ line, platform, platform_user_id }) =>
    line === `${IN_LINES.get(platform) ?? platform}:${platform_user_id}`;
  check('the winners are named by their lines', draw.winners.every(named), true);
}

async function checkDraw() {
  const draw = readDraw(await readData('/draw'));
  const terms = await readTerms();
  const isOld = (draw.root_version ?? 1) === 1;
  const text = await read('/draw/entrants');
  const [first, ...others] = String(text).split('\n').slice(0, -1);
  const lines = isOld ? (first === undefined ? [] : [first, ...others]) : others;
  const sorted = [...new Set(lines)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const count = need('the number of entrants', draw.entrants, isCount);

  check("the chain matches the gig's", draw.chain_id, terms.chainId);
  check("the number of places matches the gig's", draw.places, terms.places);
  check('the commitment is the hash of the secret', draw.commitment, sha256(bytes(draw.secret)));
  if (!isOld) {
    const head = `${gig} ${terms.chainId} ${terms.places} ${draw.not_before}`;
    check('the first line names gig, chain, places and the time of the block', first, head);
  }
  check('every line names an account', lines.find((line) => !/^[a-z]+:[!-~]+$/.test(line)) ?? null, null);
  check('every entrant is there once, in order', lines, sorted);
  check('the number of entrants', lines.length, count);
  check('the root is the hash of that text', draw.root, sha256(text));
  checkNotes(draw);
  const delay = Date.parse(draw.not_before) - Date.parse(draw.fixed_at);
  check('the time of the block is a minute or more after the fixing', delay >= 60_000, true);
  check('the block is not earlier', Date.parse(draw.block.time) >= Date.parse(draw.not_before), true);
  if (noted.rpc) await checkBlock(draw.block, { chainId: terms.chainId, notBefore: draw.not_before });
  const seed = sha256(bytes(draw.secret), bytes(draw.block.hash), bytes(draw.root));
  check('the seed', draw.seed, seed);
  checkWinners(draw, lines, { seed, places: terms.places });
  return { draw, isOld, entrants: lines.length };
}

function conclude({ draw, isOld, entrants }) {
  if (differences > 0) throw new End(1, `The draw of gig ${gig} is NOT right: ${differences} of the checks differ.`);
  const unnoted = ['commitment', 'root', ...(isOld ? ['places', 'not-before'] : [])].filter((name) => !noted[name]);
  for (const name of unnoted) say(`not compared: --${name}, as you noted it before the draw.`);
  if (!noted.rpc) say('not asked: the block. Compare its hash with an explorer, or give --rpc=<url>.');
  if (isOld && unnoted.length > 0) {
    throw new End(
      2,
      `NOT PROVED: nothing differs, but the root of gig ${gig} has version 1, which covers the entrants alone. Another time of the block would have other winners.`,
    );
  }
  const by = unnoted.length > 0 ? ' Only with what you noted before the draw is it the only one.' : '';
  throw new End(
    0,
    `OK: of ${entrants} entrants ${draw.winners.length} were drawn as the commitment, the entrants and the block decide.${by}`,
  );
}

try {
  const isUsable = given.every(([, name]) => NAMES.includes(name)) && /^[1-9][0-9]*$/.test(gig ?? '');
  if (service === undefined || !isUsable) throw new End(2, USAGE);
  conclude(await checkDraw());
} catch (error) {
  // A message of anything else may quote what the service said.
  say(error instanceof End ? error.message : `The check failed: ${shown(String(error?.message))}`);
  process.exitCode = error instanceof End ? error.code : 1;
}
