import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  NewRateCardBody,
  PriceBody,
  RateCardData,
} from '../../../src/surfaces/admin/endpoints/installation/rates-schemas.js';
import { queryClient } from './query-client.js';
import { get, send } from './request.js';

export type RateCard = Static<typeof RateCardData>;
export type Price = RateCard['prices'][number];

export const ratesQuery = queryOptions({
  queryKey: ['rates', null],
  queryFn: ({ signal }) => get<RateCard[]>('/rates', undefined, signal),
});

const path = (card: string) => `/rates/${encodeURIComponent(card)}/prices`;

export const createRateCard = (body: Static<typeof NewRateCardBody>) => change('POST', '/rates', body);

export const setPrice = (card: string, body: Static<typeof PriceBody>) => change('PUT', path(card), body);

export const removePrice = (card: string, { kind, callingCode }: Price) =>
  change('DELETE', `${path(card)}/${kind}/${callingCode}`);

async function change(method: 'POST' | 'PUT' | 'DELETE', where: string, body?: unknown): Promise<void> {
  await send(method, where, body);
  await queryClient.invalidateQueries({ queryKey: ratesQuery.queryKey });
}
