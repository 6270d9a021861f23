import { createHash, createHmac, createSecretKey, generateKeyPairSync, sign } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { byMessageBird, byPlivo, byTelnyx, byVonage } from '../../../../src/carriers/http-api/callbacks/signatures.js';
import type { Verify } from '../../../../src/carriers/http-api/plan.js';
import { EVERYTHING, EVERYTHING_SUITE } from '../../../support/run/extent.js';

/** Folder of the vendors' own npm packages, which `.ci/run` installs. */
const FOLDER = join(import.meta.dirname, '../../../../tools/vendors/node_modules');
const isThere = EVERYTHING || existsSync(FOLDER);
const load = createRequire(join(FOLDER, 'package.json'));

const URL_CALLED = 'https://heliograph.example/callbacks/http/v/receipts?message=0192f0c1&b=2&a=1';
const KEY = 'the-key-of-the-account-of-a-test';
const BODY = Buffer.from('{"id":"1","status":"delivered","name":"Zoë & 你"}');
const FORM = { Status: 'delivered', MessageUUID: 'u-1', From: '+49151 & x', Text: 'Zoë=你' };

const verifyOurs = (verify: Verify, headers: Record<string, string>, body: Buffer) =>
  verify({ method: 'POST', url: URL_CALLED, headers, body, ip: '192.0.2.1', pathSecret: null }, new Date());
const hashSha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const createToken = (claims: object, secret: string) => {
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signedText = `${encodePart({ alg: 'HS256', typ: 'JWT' })}.${encodePart(claims)}`;
  return `${signedText}.${createHmac('sha256', secret).update(signedText).digest('base64url')}`;
};
const nowInSeconds = () => Math.floor(Date.now() / 1000);

describe.skipIf(!isThere)(`our verdict and that of the vendor's package agree ${EVERYTHING_SUITE}`, () => {
  it.each([
    ['as it was signed', KEY, FORM, true],
    ['with another field', KEY, { ...FORM, Status: 'failed' }, false],
    ['by another key', 'another', FORM, false],
  ])("our verdict and that of the vendor's package agree for a Plivo signature %s", (_case, key, form, isValid) => {
    const { validateV3Signature } = load('plivo') as {
      validateV3Signature(
        method: string,
        url: string,
        nonce: string,
        key: string,
        signature: string,
        form: object,
      ): boolean;
    };
    const nonce = '12345';
    const fields = Object.entries(FORM)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}${value}`)
      .join('');
    const signedText = `https://heliograph.example/callbacks/http/v/receipts?a=1&b=2&message=0192f0c1.${fields}.${nonce}`;
    const signature = createHmac('sha256', KEY).update(signedText).digest('base64');
    const headers = { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': nonce };
    const theirVerdict = validateV3Signature('POST', URL_CALLED, nonce, key, signature, { ...form });
    const body = Buffer.from(new URLSearchParams(form).toString());
    expect([theirVerdict, verifyOurs(byPlivo(key), headers, body) === null]).toEqual([isValid, isValid]);
  });

  it.each([
    ['as it was signed', BODY, 0, true],
    ['with another body', Buffer.from('{}'), 0, false],
    ['too old', BODY, 3_600, false],
  ])(
    "our verdict and that of the vendor's package agree for a Telnyx signature %s",
    async (_case, body, age, isValid) => {
      const { default: Telnyx } = load('telnyx') as { default: new (options: object) => Client };
      interface Client {
        webhooks: { unwrap(body: string, options: { headers: object; key: string }): Promise<unknown> };
      }
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const key = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url').toString('base64');
      const timestamp = String(nowInSeconds() - age);
      const signature = sign(null, Buffer.concat([Buffer.from(`${timestamp}|`), BODY]), privateKey).toString('base64');
      const headers = { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': timestamp };
      const client = new Telnyx({ apiKey: 'KEY', publicKey: key });
      const theirVerdict = await client.webhooks.unwrap(body.toString(), { headers, key }).then(
        () => true,
        () => false,
      );
      expect([theirVerdict, verifyOurs(byTelnyx(key), headers, body) === null]).toEqual([isValid, isValid]);
    },
  );

  it.each([
    ['as it was signed', BODY, KEY, true],
    ['with another body', Buffer.from('{}'), KEY, false],
    ['by another key', BODY, 'another-key-of-nobody-that-is-here', false],
  ])(
    "our verdict and that of the vendor's package agree for a MessageBird signature %s",
    async (_case, body, key, isValid) => {
      const { verify } = load('messagebird/lib/webhook-signature-jwt') as {
        verify(url: string, body: Buffer, token: string, key: object): Promise<unknown>;
      };
      const claims = {
        iss: 'MessageBird',
        jti: 'j-1',
        nbf: nowInSeconds() - 1,
        iat: nowInSeconds(),
        exp: nowInSeconds() + 60,
      };
      const signature = createToken(
        { ...claims, url_hash: hashSha256(URL_CALLED), payload_hash: hashSha256(BODY) },
        KEY,
      );
      const theirVerdict = await verify(URL_CALLED, body, signature, createSecretKey(Buffer.from(key))).then(
        () => true,
        () => false,
      );
      const headers = { 'messagebird-signature-jwt': signature };
      expect([theirVerdict, verifyOurs(byMessageBird(key), headers, body) === null]).toEqual([isValid, isValid]);
    },
  );

  it.each([
    ['as it was signed', KEY, true],
    ['by another key', 'another', false],
  ])("our verdict and that of the vendor's package agree for a Vonage signature %s", (_case, key, isValid) => {
    const { verifySignature } = load('@vonage/jwt') as { verifySignature(token: string, secret: string): boolean };
    const claims = {
      iss: 'Vonage',
      jti: 'j-1',
      iat: nowInSeconds(),
      payload_hash: hashSha256(BODY),
      api_key: 'abcd1234',
    };
    const signature = createToken(claims, KEY);
    const headers = { authorization: `Bearer ${signature}` };
    const theirVerdict = (() => {
      try {
        return verifySignature(signature, key);
      } catch {
        return false;
      }
    })();
    expect([theirVerdict, verifyOurs(byVonage(key), headers, BODY) === null]).toEqual([isValid, isValid]);
  });
});
