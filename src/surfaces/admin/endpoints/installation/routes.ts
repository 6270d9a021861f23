import { addRoute, listRoutes, type NamedRoute, removeRoute, requireRoute } from '../../../../carriers/setup/routes.js';
import { DoneData, done, ok } from '../../answers.js';
import { type Endpoints, endpoint } from '../../endpoint.js';
import { type CarriersOptions, typesToSetUp } from './carriers.js';
import { NewRouteBody, RouteData, RoutePath, RoutesData } from './routes-schemas.js';

/** Which carriers take which SMS. */
export const routeEndpoints: Endpoints<CarriersOptions> = async (app, options) => {
  const { prisma, carriers: registry } = options;
  const types = typesToSetUp(options);

  app.get(
    '/routes',
    endpoint({
      needs: 'viewer',
      of: 'installation',
      operationId: 'consoleListRoutes',
      summary: 'List the routes of SMS',
      data: RoutesData,
    }),
    async () => ok({ routes: (await listRoutes(prisma)).map(view), smsCarrier: registry.smsCarrierName() }),
  );

  app.post(
    '/routes',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleCreateRoute',
      summary: 'Make a route',
      description: 'Every process goes by it some seconds later, for messages that wait too.',
      body: NewRouteBody,
      data: RouteData,
      errors: [404, 409],
    }),
    async (request) => {
      const { accountId, callingCode, sender, carriers, position = 0 } = request.body;
      return request.change(async (change) => {
        const { id } = await addRoute(change.prisma, { accountId, callingCode, sender, carriers, position }, types);
        const made = view(await requireRoute(change.prisma, id));
        const told = { action: 'route.create', subject: id, accountId: made.accountId, after: audited(made) };
        return { result: ok(made), told };
      });
    },
  );

  app.delete(
    '/routes/:id',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleRemoveRoute',
      summary: 'Take a route away',
      params: RoutePath,
      data: DoneData,
    }),
    async (request) => {
      const { id } = request.params;
      return request.change(async (change) => {
        const before = view(await requireRoute(change.prisma, id));
        await removeRoute(change.prisma, id);
        const told = { action: 'route.remove', subject: id, accountId: before.accountId, before: audited(before) };
        return { result: done(), told };
      });
    },
  );
};

function view({ id, accountId, account, callingCode, sender, carriers, position, createdAt }: NamedRoute) {
  const accountName = account?.name ?? null;
  return { id, accountId, accountName, callingCode, sender, carriers, position, createdAt: createdAt.toISOString() };
}

function audited({ callingCode, sender, carriers, position }: ReturnType<typeof view>) {
  return { callingCode, sender, carriers, position };
}
