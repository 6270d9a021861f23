import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { call, callPage } from '../../console/src/api/asking/call.js';

const asked = vi.fn<typeof fetch>();

function answers(body: object) {
  asked.mockImplementation(async () => Response.json(body));
  vi.stubGlobal('fetch', asked);
}

afterEach(() => {
  vi.unstubAllGlobals();
  asked.mockReset();
});

describe('a call of the console', () => {
  it('fills the path in, and sends what the contract names', async () => {
    answers({ data: { done: true } });
    await call('PUT /rates/:card/prices', {
      params: { card: 'a/b c' },
      body: { kind: 'sms', callingCode: null, price: '0.01' },
    });
    const [path, options] = asked.mock.calls[0] ?? [];
    expect(path).toBe('/admin/v1/rates/a%2Fb%20c/prices');
    expect(options).toMatchObject({ method: 'PUT', body: '{"kind":"sms","callingCode":null,"price":"0.01"}' });
  });

  it('sends the version that was read', async () => {
    answers({ data: {} });
    await call('PATCH /carriers/:name', { params: { name: 'main' }, version: 'v1', body: {} });
    expect(asked.mock.calls[0]?.[1]?.headers).toMatchObject({ 'if-match': '"v1"' });
  });

  it('asks for a page with its filters, and leaves out what is not there', async () => {
    answers({ data: [], next: null });
    const page = await callPage('GET /accounts', { query: { limit: 20, search: undefined, cursor: null } });
    expect(page).toEqual({ data: [], next: null });
    expect(asked.mock.calls[0]?.[0]).toBe('/admin/v1/accounts?limit=20');
  });

  it('is an error of the type checker where the contract says otherwise', async () => {
    answers({ data: [] });
    // @ts-expect-error there is no such endpoint
    await call('GET /rate');
    // @ts-expect-error the path wants a card
    await call('PUT /rates/:card/prices', { body: { kind: 'sms', callingCode: null, price: '1' } });
    // @ts-expect-error what two may change at once wants the version that was read
    await call('PATCH /carriers/:name', { params: { name: 'main' }, body: {} });
    // @ts-expect-error there is no such filter
    await callPage('GET /accounts', { query: { serch: 'a' } });
    const cards = await call('GET /rates');
    expectTypeOf(cards).items.toHaveProperty('accountCount');
    expectTypeOf(cards).items.not.toHaveProperty('accounts');
  });
});
