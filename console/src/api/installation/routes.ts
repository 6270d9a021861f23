import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type { NewRouteBody, RouteData } from '../../../../src/surfaces/admin/contract/installation/routes-schemas.js';
import { call } from '../client/call.js';
import { queryClient } from '../client/query-client.js';

export type Route = Static<typeof RouteData>;

export const routesQuery = queryOptions({
  queryKey: ['routes', null],
  queryFn: ({ signal }) => call('GET /routes', { signal }),
});

export async function createRoute(body: Static<typeof NewRouteBody>): Promise<void> {
  await call('POST /routes', { body });
  await queryClient.invalidateQueries({ queryKey: routesQuery.queryKey });
}

export async function removeRoute(id: string): Promise<void> {
  await call('DELETE /routes/:id', { params: { id } });
  await queryClient.invalidateQueries({ queryKey: routesQuery.queryKey });
}
