import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import { HDKey } from 'viem/accounts';
import type { World } from './world.ts';

/** A secret under its name. A text is looked for as text and as the bytes that it may stand for. */
export type Secrets = Readonly<Record<string, string | Uint8Array>>;

/** Everything of a world that only its operator, and for the API key its client, may know. */
export function secretsOf({ credentials, apiKey, seeded }: World): Secrets {
  const { mnemonic, farcaster, twitter } = credentials;
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic));
  const privateKey = (account: number): Uint8Array => {
    const { privateKey: bytes } = root.derive(`m/44'/60'/${account}'/0/0`);
    if (bytes === null) throw new TypeError('the wallet has no private key');
    return bytes;
  };
  return {
    'API key': apiKey,
    'API key without its prefix': apiKey.slice('gck_'.length),
    mnemonic,
    'half of the mnemonic': mnemonic.split(' ').slice(0, 6).join(' '),
    'the other half of the mnemonic': mnemonic.split(' ').slice(6).join(' '),
    seed: mnemonicToSeedSync(mnemonic),
    'key of the gas tank': privateKey(0),
    'key of a gig wallet': privateKey(seeded.live.id),
    'key of another gig wallet': privateKey(seeded.startable.id),
    'Neynar API key': farcaster.apiKey,
    'Neynar signer': farcaster.signerUuid,
    ...Object.fromEntries(farcaster.webhookSecrets.map((secret, index) => [`webhook secret ${index + 1}`, secret])),
    'X app key': twitter.appKey,
    'X app secret': twitter.appSecret,
    'X access token': twitter.accessToken,
    'X access secret': twitter.accessSecret,
    'X app credentials': Buffer.from(`${twitter.appKey}:${twitter.appSecret}`).toString('base64'),
  };
}

/** Base64 of bytes wherever they begin in a longer run, without what depends on their neighbours. */
function withinBase64(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const inner = text.slice(before === 0 ? 0 : before + 1, -2);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** How a secret may be written down. */
function forms(secret: string | Uint8Array): Buffer[] {
  const bytes = typeof secret === 'string' ? Buffer.from(secret) : Buffer.from(secret);
  const texts = [bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...withinBase64(bytes)];
  const written =
    typeof secret === 'string'
      ? [encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), secret.toLowerCase(), secret.toUpperCase()]
      : [BigInt(`0x${bytes.toString('hex')}`).toString()];
  return [
    bytes,
    Buffer.from(bytes.toString('utf8'), 'utf16le'),
    ...[...texts, ...written].map((text) => Buffer.from(text)),
  ];
}

/** The names of the secrets that are somewhere in these bytes, in whatever form. */
export function secretsIn(bytes: Uint8Array, secrets: Secrets): string[] {
  const content = Buffer.from(bytes);
  return Object.entries(secrets)
    .filter(([, secret]) => forms(secret).some((form) => content.includes(form)))
    .map(([name]) => name);
}

/** Every byte of the database: the file, its log, and whatever else lies beside it under its name. */
export function databaseBytes({ databasePath }: World): Buffer {
  const folder = dirname(databasePath);
  const files = readdirSync(folder).filter((file) => file.startsWith(basename(databasePath)));
  return Buffer.concat(files.map((file) => readFileSync(join(folder, file))));
}
