import { countCodes } from '../../../../features/verifications/counts-store.js';
import { isHook } from '../../../../features/verifications/services/hook-proofs.js';
import {
  type CreatedService,
  changeSecret,
  createService,
  findAndLockOwnService,
  listServices,
  removeService,
  type Service,
  type ServiceStore,
} from '../../../../features/verifications/services/services.js';
import type { Clock } from '../../../../platform/clock.js';
import { toSid } from '../../../../platform/text/sids.js';
import { done, ok } from '../../answers.js';
import { SIGN_IN } from '../../contract/account-settings/sign-in.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';

export interface SignInOptions extends ServiceStore {
  clock: Clock;
}

const DEFAULT_DAYS = 7;

export const signInEndpoints: Endpoints<SignInOptions> = async (app, { prisma, pool, clock }) => {
  const route = registerRoutes(app, SIGN_IN);

  route('GET /accounts/:accountId/sign-in/services', async (request) =>
    ok((await listServices(prisma, requestAccount(request).id)).map(toServiceData)),
  );

  route('POST /accounts/:accountId/sign-in/services', (request) => {
    const { type, appName, sender, locale, digits, whatsappFrom, template, templateLanguage, secret } = request.body;
    const input = { type, appName, sender, locale, digits, whatsappFrom, template, templateLanguage, secret };
    return request.change(async (change) => {
      const created = await createService(
        change.prisma,
        { accountId: requestAccount(request).id, ...input },
        clock.now(),
      );
      const after = { type, appName, sender, whatsappFrom: created.service.whatsappFrom };
      return {
        result: ok(toDataWithSecret(created)),
        audit: { action: 'service.add', subject: created.service.id, after },
      };
    });
  });

  route('POST /accounts/:accountId/sign-in/services/:id/secret', (request) =>
    request.change(async (change) => {
      const { id, type } = await findAndLockOwnService(change.prisma, requestAccount(request).id, request.params.id);
      const service = await changeSecret(change.prisma, id, request.body.secret);
      return {
        result: ok(toDataWithSecret(service)),
        audit: { action: 'service.secret', subject: id, after: { type } },
      };
    }),
  );

  route('DELETE /accounts/:accountId/sign-in/services/:id', (request) =>
    request.change(async (change) => {
      const { id, type, appName } = await findAndLockOwnService(
        change.prisma,
        requestAccount(request).id,
        request.params.id,
      );
      await removeService(change.prisma, id);
      return { result: done(), audit: { action: 'service.remove', subject: id, before: { type, appName } } };
    }),
  );

  route('GET /accounts/:accountId/sign-in/counts', async (request) =>
    ok(
      await countCodes(pool, {
        accountId: requestAccount(request).id,
        now: clock.now(),
        days: request.query.days ?? DEFAULT_DAYS,
      }),
    ),
  );
};

function toServiceData(service: Service) {
  const { id, type, appName, sender, locale, digits, whatsappFrom, templateId, secret, secretHash, createdAt } =
    service;
  const serviceSid = isHook(type) ? null : toSid('VA', id);
  return {
    id,
    type,
    appName,
    sender,
    locale,
    digits,
    whatsappFrom,
    template: templateId,
    path: serviceSid === null ? `/hooks/sign-in/${id}` : `/v2/Services/${serviceSid}`,
    serviceSid,
    hasSecret: secret !== null || secretHash !== null,
    createdAt: createdAt.toISOString(),
  };
}

const toDataWithSecret = ({ service, secret }: CreatedService) => ({ ...toServiceData(service), secret });
