import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  NewRouteBody,
  RouteData,
  RoutesData,
} from '../../../src/surfaces/admin/endpoints/installation/routes-schemas.js';
import { queryClient } from './query-client.js';
import { get, send } from './request.js';

export type Route = Static<typeof RouteData>;

export const routesQuery = queryOptions({
  queryKey: ['routes', null],
  queryFn: ({ signal }) => get<Static<typeof RoutesData>>('/routes', undefined, signal),
});

export async function createRoute(body: Static<typeof NewRouteBody>): Promise<void> {
  await send('POST', '/routes', body);
  await queryClient.invalidateQueries({ queryKey: routesQuery.queryKey });
}

export async function removeRoute(id: string): Promise<void> {
  await send('DELETE', `/routes/${id}`);
  await queryClient.invalidateQueries({ queryKey: routesQuery.queryKey });
}
