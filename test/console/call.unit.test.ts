import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { call, callPage } from '../../console/src/api/client/call.js';

const fetchMock = vi.fn<typeof fetch>();

function stubResponse(body: object) {
  fetchMock.mockImplementation(async () => Response.json(body));
  vi.stubGlobal('fetch', fetchMock);
}

afterEach(() => {
  vi.unstubAllGlobals();
  fetchMock.mockReset();
});

describe('calling a console endpoint', () => {
  it('call fills in the path parameters and sends the body', async () => {
    stubResponse({ data: { done: true } });
    await call('PUT /rates/:card/prices', {
      params: { card: 'a/b c' },
      body: { kind: 'sms', callingCode: null, price: '0.01' },
    });
    const [path, options] = fetchMock.mock.calls[0] ?? [];
    expect(path).toBe('/admin/v1/rates/a%2Fb%20c/prices');
    expect(options).toMatchObject({ method: 'PUT', body: '{"kind":"sms","callingCode":null,"price":"0.01"}' });
  });

  it('call sends the version as If-Match', async () => {
    stubResponse({ data: {} });
    await call('PATCH /carriers/:name', { params: { name: 'main' }, version: 'v1', body: {} });
    expect(fetchMock.mock.calls[0]?.[1]?.headers).toMatchObject({ 'if-match': '"v1"' });
  });

  it('callPage sends filters and omits empty ones', async () => {
    stubResponse({ data: [], next: null });
    const page = await callPage('GET /accounts', { query: { limit: 20, search: undefined, cursor: null } });
    expect(page).toEqual({ data: [], next: null });
    expect(fetchMock.mock.calls[0]?.[0]).toBe('/admin/v1/accounts?limit=20');
  });

  it('the type checker rejects calls that do not match the contract', async () => {
    stubResponse({ data: [] });
    // @ts-expect-error the endpoint does not exist
    await call('GET /rate');
    // @ts-expect-error the path parameter is missing
    await call('PUT /rates/:card/prices', { body: { kind: 'sms', callingCode: null, price: '1' } });
    // @ts-expect-error the version is missing
    await call('PATCH /carriers/:name', { params: { name: 'main' }, body: {} });
    // @ts-expect-error the filter does not exist
    await callPage('GET /accounts', { query: { serch: 'a' } });
    const cards = await call('GET /rates');
    expectTypeOf(cards).items.toHaveProperty('accountCount');
    expectTypeOf(cards).items.not.toHaveProperty('accounts');
  });
});
