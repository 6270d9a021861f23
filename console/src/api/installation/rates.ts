import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  NewRateCardBody,
  PriceBody,
  RateCardData,
} from '../../../../src/surfaces/admin/contract/installation/rates-schemas.js';
import { call } from '../client/call.js';
import { queryClient } from '../client/query-client.js';

export type RateCard = Static<typeof RateCardData>;
export type Price = RateCard['prices'][number];

export const ratesQuery = queryOptions({
  queryKey: ['rates', null],
  queryFn: ({ signal }) => call('GET /rates', { signal }),
});

export const createRateCard = (body: Static<typeof NewRateCardBody>) => refreshRates(call('POST /rates', { body }));

export const setPrice = (card: string, body: Static<typeof PriceBody>) =>
  refreshRates(call('PUT /rates/:card/prices', { params: { card }, body }));

export const removePrice = (card: string, { kind, callingCode }: Price) =>
  refreshRates(
    call('DELETE /rates/:card/prices/:kind/:callingCode', { params: { card, kind, callingCode: callingCode ?? '' } }),
  );

async function refreshRates(change: Promise<unknown>): Promise<void> {
  await change;
  await queryClient.invalidateQueries({ queryKey: ratesQuery.queryKey });
}
