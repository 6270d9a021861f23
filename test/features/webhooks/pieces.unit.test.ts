import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { RETRY_DELAYS_MS, retryDelayMs } from '../../../src/features/webhooks/delivery/retry-schedule.js';
import { newSecret, sign } from '../../../src/features/webhooks/signature.js';
import { checkWebhookUrl } from '../../../src/features/webhooks/url.js';
import { AppError } from '../../../src/platform/errors/app-error.js';
import { isPublicAddress } from '../../../src/platform/net/addresses.js';

describe('isPublicAddress', () => {
  it.each(
    Object.entries({
      'this network': '0.1.2.3',
      'shared (RFC 6598)': '100.64.0.1',
      'protocol assignments': '192.0.0.8',
      '6to4 relay': '192.88.99.1',
      private: '192.168.1.1',
      benchmarking: '198.18.0.1',
      reserved: '240.0.0.1',
      broadcast: '255.255.255.255',
      'platform agent': '168.63.129.16',
      unspecified: '::',
      loopback: '::1',
      'IPv4-compatible': '::7f00:1',
      'IPv4-mapped': '::ffff:127.0.0.1',
      'IPv4-mapped, public': '::ffff:1.1.1.1',
      'IPv4-translated': '::ffff:0:7f00:1',
      NAT64: '64:ff9b::7f00:1',
      'local NAT64': '64:ff9b:1::a00:1',
      discard: '100::1',
      Teredo: '2001::1',
      '6to4': '2002:7f00:1::1',
      documentation: '3fff::1',
      'unique local': 'fd00:ec2::254',
      'link-local': 'fe80::1',
      'with a zone': 'fe80::1%eth0',
      'site-local': 'fec0::1',
      multicast: 'ff02::1',
      unassigned: '4000::1',
      'no address': 'example.com',
      'not as the system writes it': '0x7f.1',
    }),
  )('refuses %s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['1.1.1.1', '93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450:4001::1'])(
    'allows %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});

describe('the URL of a webhook', () => {
  const captureRefusal = (url: string, allowPrivate = false): unknown => {
    try {
      checkWebhookUrl(url, { allowPrivate });
      return null;
    } catch (error) {
      return error;
    }
  };

  it.each([
    ['another scheme', 'ftp://example.com/'],
    ['no host', 'https://'],
    ['not a URL', 'example.com/hook'],
    ['white space', 'https://example.com/a b'],
    ['a line break', 'https://example.com/\nx'],
    ['a user name', 'https://ann@example.com/'],
    ['a password', 'https://:secret@example.com/'],
    ['more than 2048 characters', `https://example.com/${'a'.repeat(2_029)}`],
  ])('the URL of a webhook is refused with %s, even if private addresses are allowed', (_, url) => {
    expect(captureRefusal(url)).toBeInstanceOf(AppError);
    expect(captureRefusal(url, true)).toMatchObject({ code: 'INVALID_REQUEST', fields: [{ field: 'url' }] });
  });

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1:8080/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://１２７.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost:3000/',
    'http://LOCALHOST./',
    'http://api.localhost/',
  ])('the URL of a webhook is refused with a private address: %s', (url) => {
    const rule = expect.stringMatching(/^must not name a private address; .*WEBHOOK_ALLOW_PRIVATE=true/);
    expect(captureRefusal(url)).toMatchObject({ fields: [{ field: 'url', rule }] });
    expect(captureRefusal(url, true)).toBeNull();
  });

  it.each([`https://example.com/${'a'.repeat(2_028)}`, 'http://1.1.1.1:8080/x?y=z#f', 'https://[2606:4700::1111]/'])(
    'the URL of a webhook is accepted: %.40s',
    (url) => {
      expect(captureRefusal(url)).toBeNull();
    },
  );
});

describe('a signature', () => {
  it('a webhook signature is verified by the Standard Webhooks library', () => {
    const secret = newSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const body = '{"type":"message.status","data":{"text":"Grüße ✓"}}';
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = sign([secret], { id: 'a', timestamp, body });
    const headers = { 'webhook-id': 'a', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'b' })).toThrow();
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow();
  });
});

describe('retries', () => {
  it('retries of a delivery follow after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, within 10 %', () => {
    const hours = [5 / 3600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24];
    expect(RETRY_DELAYS_MS.map((delay) => delay / 3_600_000)).toEqual(hours);
    expect(retryDelayMs(1, () => 0)).toBe(4_500);
    expect(retryDelayMs(1, () => 1)).toBe(5_500);
    expect(retryDelayMs(9, () => 0.5)).toBe(24 * 3_600_000);
  });

  it('retries of a delivery end after the tenth failure', () => {
    expect(retryDelayMs(10)).toBeNull();
  });
});
