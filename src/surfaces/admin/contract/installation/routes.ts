import { DoneData } from '../../answers.js';
import { NewRouteBody, RouteData, RoutePath, RoutesData } from './routes-schemas.js';
import type { Contract } from '../contract.js';

export const ROUTES = {
  'GET /routes': {
    needs: 'viewer',
    of: 'installation',
    operationId: 'consoleListRoutes',
    summary: 'List the routes of SMS',
    data: RoutesData,
  },
  'POST /routes': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleCreateRoute',
    summary: 'Make a route',
    description: 'Every process goes by it some seconds later, for messages that wait too.',
    body: NewRouteBody,
    data: RouteData,
    errors: [404, 409],
  },
  'DELETE /routes/:id': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleRemoveRoute',
    summary: 'Take a route away',
    params: RoutePath,
    data: DoneData,
  },
} satisfies Contract;
