import { DoneData } from '../../answers.js';
import type { Contract } from '../contract.js';
import { NewRouteBody, RouteData, RoutePath, RoutesData } from './routes-schemas.js';

export const ROUTES = {
  'GET /routes': {
    needs: 'viewer',
    roleScope: 'installation',
    operationId: 'consoleListRoutes',
    summary: 'List the SMS routes',
    data: RoutesData,
  },
  'POST /routes': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleCreateRoute',
    summary: 'Create a route',
    description: 'Takes effect in every process within seconds, also for queued messages.',
    body: NewRouteBody,
    data: RouteData,
    errors: [404, 409],
  },
  'DELETE /routes/:id': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleRemoveRoute',
    summary: 'Remove a route',
    params: RoutePath,
    data: DoneData,
  },
} satisfies Contract;
