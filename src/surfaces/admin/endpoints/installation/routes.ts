import { addRoute, listRoutes, type NamedRoute, removeRoute, requireRoute } from '../../../../carriers/setup/routes.js';
import { done, ok } from '../../answers.js';
import { ROUTES } from '../../contract/installation/routes.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { type CarriersOptions, typesToSetUp } from './carriers.js';

export const routeEndpoints: Endpoints<CarriersOptions> = async (app, options) => {
  const route = registerRoutes(app, ROUTES);
  const { prisma, carriers: registry } = options;
  const types = typesToSetUp(options);

  route('GET /routes', async () =>
    ok({ routes: (await listRoutes(prisma)).map(toRouteData), smsCarrier: registry.getSmsCarrierName() }),
  );

  route('POST /routes', async (request) => {
    const { accountId, callingCode, sender, carriers, position = 0 } = request.body;
    return request.change(async (change) => {
      const { id } = await addRoute(change.prisma, { accountId, callingCode, sender, carriers, position }, types);
      const created = toRouteData(await requireRoute(change.prisma, id));
      const auditEntry = {
        action: 'route.create',
        subject: id,
        accountId: created.accountId,
        after: auditedFields(created),
      };
      return { result: ok(created), audit: auditEntry };
    });
  });

  route('DELETE /routes/:id', async (request) => {
    const { id } = request.params;
    return request.change(async (change) => {
      const before = toRouteData(await requireRoute(change.prisma, id));
      await removeRoute(change.prisma, id);
      const auditEntry = {
        action: 'route.remove',
        subject: id,
        accountId: before.accountId,
        before: auditedFields(before),
      };
      return { result: done(), audit: auditEntry };
    });
  });
};

function toRouteData({ id, accountId, account, callingCode, sender, carriers, position, createdAt }: NamedRoute) {
  const accountName = account?.name ?? null;
  return { id, accountId, accountName, callingCode, sender, carriers, position, createdAt: createdAt.toISOString() };
}

function auditedFields({ callingCode, sender, carriers, position }: ReturnType<typeof toRouteData>) {
  return { callingCode, sender, carriers, position };
}
