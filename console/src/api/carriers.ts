import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  CarrierChangeBody,
  CarrierData,
  CarrierTypeData,
  CheckData,
  DescribedSettingData,
  NewCarrierBody,
  ProcessData,
  SavedCarrierData,
} from '../../../src/surfaces/admin/endpoints/installation/carriers-schemas.js';
import { call } from './call.js';
import { queryClient } from './query-client.js';

export type Carrier = Static<typeof CarrierData>;
export type CarrierType = Static<typeof CarrierTypeData>;
export type DescribedSetting = Static<typeof DescribedSettingData>;
export type CarrierProcess = Static<typeof ProcessData>;
export type CarrierCheck = Static<typeof CheckData>;
type SavedCarrier = Static<typeof SavedCarrierData>;

export const carriersQuery = queryOptions({
  queryKey: ['carriers', null],
  queryFn: ({ signal }) => call('GET /carriers', { signal }),
});

export const carrierTypesQuery = queryOptions({
  queryKey: ['carrier-types', null],
  queryFn: ({ signal }) => call('GET /carriers/types', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export async function createCarrier(body: Static<typeof NewCarrierBody>): Promise<SavedCarrier> {
  return changed(await call('POST /carriers', { body }));
}

export async function changeCarrier(
  { name, version }: Pick<Carrier, 'name' | 'version'>,
  body: Static<typeof CarrierChangeBody>,
): Promise<SavedCarrier> {
  return changed(await call('PATCH /carriers/:name', { params: { name }, version, body }));
}

export async function removeCarrier(name: string): Promise<void> {
  await changed(await call('DELETE /carriers/:name', { params: { name } }));
}

/** Takes as long as its steps do: some wait for the carrier. */
export const checkCarrier = (name: string) => call('POST /carriers/:name/check', { params: { name } });

async function changed<T>(result: T): Promise<T> {
  await queryClient.invalidateQueries({ queryKey: carriersQuery.queryKey });
  return result;
}
