import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebhookClient, type WebhookClientOptions } from '../../../src/features/webhooks/client.js';
import { createPublicLookup } from '../../../src/platform/net/public-connector.js';
import { createDnsResolver, type NameServers } from '../../../src/platform/net/resolver.js';
import { openSink, respondWith, type Sink } from './sink.js';

const NO_ADDRESS = 'The host has no public address.';
const clients: WebhookClient[] = [];
let sink: Sink;

beforeAll(async () => {
  sink = await openSink();
});
afterAll(() => sink?.close());
afterEach(async () => {
  sink.respond = (_, response) => respondWith(response, 204);
  sink.received.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

function openClient(options: Partial<WebhookClientOptions> = {}): WebhookClient {
  const client = new WebhookClient({ allowPrivate: false, ...options });
  clients.push(client);
  return client;
}

function post(client: WebhookClient, url: string, signal = new AbortController().signal) {
  return client.post({ url, headers: { 'content-type': 'application/json' }, body: '{}', signal });
}

function createScriptedLookup(...addressLists: string[][]) {
  const calls: string[] = [];
  const resolve = async (hostname: string): Promise<LookupAddress[]> => {
    const list = addressLists[Math.min(calls.length, addressLists.length - 1)] ?? [];
    calls.push(hostname);
    return list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { resolve, calls };
}

describe('a connection without allowed private addresses', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['a decimal number', '2130706433'],
    ['an octal number', '0177.0.0.1'],
    ['a hexadecimal number', '0x7f000001'],
    ['the unspecified address', '0.0.0.0'],
    ['an IPv4-mapped address', '[::ffff:127.0.0.1]'],
    ['the IPv6 loopback', '[::1]'],
    ['localhost', 'localhost'],
    ['a name below localhost', 'hook.localhost'],
  ])('a webhook connection is not made to %s', async (_, host) => {
    expect(await post(openClient(), `http://${host}:${sink.port}/`)).toEqual({
      ok: false,
      statusCode: null,
      error: NO_ADDRESS,
      aborted: false,
    });
    expect(sink.received).toEqual([]);
  });

  it('a webhook connection is not made to a name that resolves to a private address', async () => {
    const { resolve, calls } = createScriptedLookup(['127.0.0.1', '::1', '10.0.0.1']);
    expect(await post(openClient({ resolve }), `http://hooks.example:${sink.port}/`)).toMatchObject({
      error: NO_ADDRESS,
    });
    expect(calls).toEqual(['hooks.example']);
    expect(sink.received).toEqual([]);
  });

  it('a webhook connection is refused with the same error as for an unknown host', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }));
    expect(await post(openClient({ resolve }), 'http://hooks.example/')).toMatchObject({
      ok: false,
      error: NO_ADDRESS,
    });
  });

  it('a webhook connection is not made with TLS either', async () => {
    const { resolve } = createScriptedLookup(['127.0.0.1']);
    expect(await post(openClient({ resolve }), `https://hooks.example:${sink.port}/`)).toMatchObject({
      error: NO_ADDRESS,
    });
  });

  it('a webhook connection uses only public addresses of a host', async () => {
    const { resolve } = createScriptedLookup(['127.0.0.1', '93.184.215.14', '10.0.0.1', '2606:4700:4700::1111']);
    const lookup = createPublicLookup({ allowPrivate: false, resolve });
    const resolvedAddresses = await new Promise((resolve) =>
      lookup('hooks.example', { all: true }, (_, addresses) => resolve(addresses)),
    );
    expect(resolvedAddresses).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
    const resolvedAddress = await new Promise((resolve) =>
      lookup('hooks.example', {}, (_, address) => resolve(address)),
    );
    expect(resolvedAddress).toBe('93.184.215.14');
  });

  it('a webhook connection is checked every time, so rebinding a host name to this machine does not help', async () => {
    // The first DNS lookup returns a public address, and the second lookup returns a loopback address.
    const { resolve, calls } = createScriptedLookup(['93.184.215.14'], ['127.0.0.1']);
    const seenByACheck = await resolve('rebound.example');
    expect(seenByACheck.map(({ address }) => address)).toEqual(['93.184.215.14']);
    const client = openClient({ resolve });
    const firstOutcome = await post(client, `http://rebound.example:${sink.port}/`);
    expect(firstOutcome).toMatchObject({ ok: false, error: NO_ADDRESS });
    expect(calls).toEqual(['rebound.example', 'rebound.example']);
    expect(sink.received).toEqual([]);
  });

  it('a webhook connection resolves the host once per connection, and connects to that address', async () => {
    // The test server has a private address, which must be allowed.
    const { resolve, calls } = createScriptedLookup(['127.0.0.1'], ['127.0.0.99']);
    const client = openClient({ resolve, allowPrivate: true });
    expect(await post(client, `http://hooks.example:${sink.port}/`)).toMatchObject({ ok: true, statusCode: 204 });
    expect(calls).toEqual(['hooks.example']);
  });
});

describe('DNS resolution', () => {
  const rejectLookup = (code: string) => Promise.reject(Object.assign(new Error(`queryA ${code}`), { code }));

  it('DNS resolution uses the current name servers of the system, not those at startup', async () => {
    let now = 0;
    const openedPaths: string[] = [];
    // The name servers opened first are unreachable, and the next ones belong to the current network.
    const openServers = (): NameServers => {
      openedPaths.push(`server ${openedPaths.length}`);
      const isFirst = openedPaths.length === 1;
      const resolve4 = () => (isFirst ? rejectLookup('ECONNREFUSED') : Promise.resolve(['127.0.0.1']));
      return { resolve4, resolve6: () => rejectLookup(isFirst ? 'ECONNREFUSED' : 'ENODATA') } as unknown as NameServers;
    };
    const resolve = createDnsResolver({ systemNames: false, openServers, now: () => now });
    const client = openClient({ allowPrivate: true, resolve });
    const url = `http://hooks.example:${sink.port}/`;
    const error = 'The host name could not be resolved (DNS: ECONNREFUSED).';
    expect(await post(client, url)).toEqual({ ok: false, statusCode: null, error, aborted: false });
    now += 4_999;
    expect(await post(client, url)).toMatchObject({ ok: false });
    expect(openedPaths).toEqual(['server 0']);
    now += 1;
    expect(await post(client, url)).toMatchObject({ ok: true });
    expect(await post(client, url)).toMatchObject({ ok: true });
    expect(openedPaths).toEqual(['server 0', 'server 1']);
  });

  it.each(['ETIMEOUT', 'ESERVFAIL', 'EREFUSED', 'ECONNREFUSED', 'EBADRESP', 'ENOTIMP'])(
    'a DNS lookup that ends with %s is reported neither as a refused connection nor as a name without an address',
    async (code) => {
      const servers = {
        resolve4: () => rejectLookup('ENODATA'),
        resolve6: () => rejectLookup(code),
      } as unknown as NameServers;
      const resolve = createDnsResolver({ systemNames: false, openServers: () => servers });
      const { error } = await post(openClient({ resolve }), 'https://hooks.example/');
      expect(error).toBe(`The host name could not be resolved (DNS: ${code}).`);
    },
  );

  it.each(['ENOTFOUND', 'ENODATA'])('DNS resolution reports %s like a private address', async (code) => {
    const servers = {
      resolve4: () => rejectLookup(code),
      resolve6: () => rejectLookup(code),
    } as unknown as NameServers;
    const resolve = createDnsResolver({ systemNames: false, openServers: () => servers });
    expect(await post(openClient({ resolve }), 'https://hooks.example/')).toMatchObject({ error: NO_ADDRESS });
  });
});

describe('a response', () => {
  it("a webhook's response that redirects to a private address is not followed", async () => {
    sink.respond = (_, response) => respondWith(response, 302, { location: 'http://169.254.169.254/' });
    expect(await post(openClient({ allowPrivate: true }), sink.url)).toMatchObject({
      ok: false,
      statusCode: 302,
      error: 'The endpoint answered 302; redirects are not followed.',
    });
    expect(sink.received).toHaveLength(1);
  });

  it.each([200, 201, 202, 204, 299])("a webhook's response with status %i is a success", async (status) => {
    sink.respond = (_, response) => respondWith(response, status);
    expect(await post(openClient({ allowPrivate: true }), sink.url)).toMatchObject({ ok: true, error: null });
  });

  it("a webhook's response that does not start in time is a failure", async () => {
    sink.respond = () => undefined;
    expect(await post(openClient({ allowPrivate: true, timeoutMs: 200 }), sink.url)).toMatchObject({
      ok: false,
      statusCode: null,
      error: 'No complete response within 0.2 seconds.',
    });
  });

  it("a webhook's response that does not end in time is a failure, even if data keeps arriving", async () => {
    sink.respond = (_, response) => {
      response.writeHead(200);
      const sendInterval = setInterval(() => response.write('.'), 20);
      response.once('close', () => clearInterval(sendInterval));
    };
    expect(await post(openClient({ allowPrivate: true, timeoutMs: 2_000 }), sink.url)).toMatchObject({
      ok: false,
      statusCode: 200,
      error: 'No complete response within 2 seconds.',
    });
  });

  it("a webhook's response that is not HTTP is a failure", async () => {
    const server = await startRawServer('220 mail.example ESMTP\r\n');
    try {
      const { port } = server.address() as { port: number };
      const outcome = await post(openClient({ allowPrivate: true }), `http://127.0.0.1:${port}/`);
      expect(outcome).toMatchObject({ ok: false, statusCode: null, error: 'The response is not HTTP.' });
    } finally {
      server.close();
    }
  });

  it("a webhook's response from a host without TLS is a failure whose text has no address", async () => {
    const outcome = await post(openClient({ allowPrivate: true }), sink.url.replace('http:', 'https:'));
    expect(outcome.error).toMatch(/^The TLS connection failed/);
    expect(outcome.error).not.toContain('127.0.0.1');
  });
});

it('an attempt that this process aborts does not count against the endpoint', async () => {
  sink.respond = () => undefined;
  const abort = new AbortController();
  const outcome = post(openClient({ allowPrivate: true }), sink.url, abort.signal);
  abort.abort();
  expect(await outcome).toEqual({ ok: false, statusCode: null, error: null, aborted: true });
  expect(await post(openClient({ allowPrivate: true }), sink.url, abort.signal)).toMatchObject({ aborted: true });
});

it('proxy settings of the environment are ignored', async () => {
  for (const name of ['HTTP_PROXY', 'http_proxy']) vi.stubEnv(name, 'http://127.0.0.1:9');
  try {
    expect(await post(openClient({ allowPrivate: true }), sink.url)).toMatchObject({ ok: true });
  } finally {
    vi.unstubAllEnvs();
  }
});

async function startRawServer(text: string): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => undefined).end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
