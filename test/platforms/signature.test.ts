import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { answerXChallenge, verifyNeynarSignature, verifyXSignature } from '../../src/platforms/signature.ts';

const BODY = Buffer.from('{"type":"cast.created"}');
// printf '{"type":"cast.created"}' | openssl dgst -sha512 -hmac fake-webhook-secret
const NEYNAR_HEX =
  '5bb8836ec3f87dacbe0347be0c6ce73b138d833bded91ee2f0283da7110ba00e3167c7872861bff4d05ba7f078d32c53583ac7a9f02bbc51108bfc523e638f19';
// … | openssl dgst -sha256 -hmac fake-app-secret -binary | base64
const X_BASE64 = 'Y3PoMjrZYxUU8ECh6ft0wpH0aHXa2qls8DAYW+HG5uQ=';

describe('Neynar signatures', () => {
  test('behavior: the hex HMAC-SHA512 of the raw bytes is accepted under any of the secrets', () => {
    expect(verifyNeynarSignature(BODY, NEYNAR_HEX, ['fake-webhook-secret'])).toBe(true);
    expect(verifyNeynarSignature(BODY, NEYNAR_HEX, ['fake-new-secret', 'fake-webhook-secret'])).toBe(true);
  });

  test('security: any other body, secret, length or encoding is refused', () => {
    const secrets = ['fake-webhook-secret'];
    expect(verifyNeynarSignature(Buffer.from('{"type": "cast.created"}'), NEYNAR_HEX, secrets)).toBe(false);
    expect(verifyNeynarSignature(BODY, NEYNAR_HEX, ['fake-new-secret'])).toBe(false);
    expect(verifyNeynarSignature(BODY, NEYNAR_HEX.slice(0, 64), secrets)).toBe(false);
    expect(verifyNeynarSignature(BODY, Buffer.from(NEYNAR_HEX, 'hex').toString('base64'), secrets)).toBe(false);
    expect(verifyNeynarSignature(BODY, '', secrets)).toBe(false);
    expect(verifyNeynarSignature(BODY, undefined, secrets)).toBe(false);
  });

  test('security: without a secret, or with an empty one, nothing is accepted', () => {
    const signedWithNothing = createHmac('sha512', '').update(BODY).digest('hex');
    expect(verifyNeynarSignature(BODY, signedWithNothing, [''])).toBe(false);
    expect(verifyNeynarSignature(BODY, NEYNAR_HEX, [])).toBe(false);
  });
});

describe('X signatures', () => {
  test('behavior: the base64 HMAC-SHA256 of the raw bytes is accepted', () => {
    expect(verifyXSignature(BODY, `sha256=${X_BASE64}`, 'fake-app-secret')).toBe(true);
  });

  test('security: any other body, secret, prefix or encoding is refused', () => {
    const secret = 'fake-app-secret';
    expect(verifyXSignature(Buffer.from('{}'), `sha256=${X_BASE64}`, secret)).toBe(false);
    expect(verifyXSignature(BODY, `sha256=${X_BASE64}`, 'fake-other-secret')).toBe(false);
    expect(verifyXSignature(BODY, X_BASE64, secret)).toBe(false);
    expect(verifyXSignature(BODY, `sha256=${Buffer.from(X_BASE64, 'base64').toString('hex')}`, secret)).toBe(false);
    expect(verifyXSignature(BODY, undefined, secret)).toBe(false);
    const signedWithNothing = createHmac('sha256', '').update(BODY).digest('base64');
    expect(verifyXSignature(BODY, `sha256=${signedWithNothing}`, '')).toBe(false);
    expect(answerXChallenge('Zm9yIHRoZSBib3Q9PQ==', '')).toBeNull();
  });

  test('behavior: a challenge of the known alphabet is answered', () => {
    expect(answerXChallenge('Zm9yIHRoZSBib3Q9PQ==', 'fake-app-secret')).toBe(
      'sha256=u1DM1OQtxL6dyDI9n2Zvl4XdROUSFCWatDqETikUgw0=',
    );
  });

  test('security: the challenge signs no event body, so none can be forged through it', () => {
    const forged = '{"data":{"event_type":"post.mention.create"}}';
    const signed = answerXChallenge(forged, 'fake-app-secret');
    expect(signed).toBeNull();
    expect(verifyXSignature(Buffer.from(forged), signed ?? undefined, 'fake-app-secret')).toBe(false);
  });

  test.each(['', 'short', 'x'.repeat(129), 'has a space in it', 'Zm9yIHRoZSBib3Q9PQ==\n', '"quoted-and-long"'])(
    'security: the token %j is not signed',
    (token) => {
      expect(answerXChallenge(token, 'fake-app-secret')).toBeNull();
    },
  );
});
