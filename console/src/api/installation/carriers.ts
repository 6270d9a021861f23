import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  DescribedSettingData,
  ProcessData,
} from '../../../../src/surfaces/admin/contract/installation/carriers-schemas.js';
import { type Body, call, type Data } from '../client/call.js';
import { queryClient } from '../client/query-client.js';

export type Carrier = Data<'GET /carriers'>[number];
export type CarrierType = Data<'GET /carriers/types'>[number];
export type DescribedSetting = Static<typeof DescribedSettingData>;
export type CarrierProcess = Static<typeof ProcessData>;
export type CarrierTry = Data<'POST /carriers/:name/try'>;
export type CarrierCheck = Data<'POST /carriers/:name/check'>;
type SavedCarrier = Data<'POST /carriers'>;

export const carriersQuery = queryOptions({
  queryKey: ['carriers', null],
  queryFn: ({ signal }) => call('GET /carriers', { signal }),
});

export const carrierTypesQuery = queryOptions({
  queryKey: ['carrier-types', null],
  queryFn: ({ signal }) => call('GET /carriers/types', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export async function createCarrier(body: Body<'POST /carriers'>): Promise<SavedCarrier> {
  return refreshCarriers(await call('POST /carriers', { body }));
}

export async function changeCarrier(
  { name, version }: Pick<Carrier, 'name' | 'version'>,
  body: Body<'PATCH /carriers/:name'>,
): Promise<SavedCarrier> {
  return refreshCarriers(await call('PATCH /carriers/:name', { params: { name }, version, body }));
}

export async function removeCarrier(name: string): Promise<void> {
  await refreshCarriers(await call('DELETE /carriers/:name', { params: { name } }));
}

/** Checking a carrier may take several seconds, because some steps wait for the carrier's response. */
export const checkCarrier = (name: string) => call('POST /carriers/:name/check', { params: { name } });

/** Sends a real message and waits for the carrier's response. */
export const tryCarrier = (name: string, body: Body<'POST /carriers/:name/try'>) =>
  call('POST /carriers/:name/try', { params: { name }, body });

export const replayKeptReports = (name: string, id?: string) =>
  call('POST /carriers/:name/kept-reports/replay', { params: { name }, body: { ...(id !== undefined && { id }) } });

async function refreshCarriers<T>(result: T): Promise<T> {
  await queryClient.invalidateQueries({ queryKey: carriersQuery.queryKey });
  return result;
}
