import { lockAccount } from '../../../../accounts/accounts.js';
import { diffForAudit } from '../../../../accounts/audit/diff.js';
import {
  changeLinkSettings,
  getRecordName,
  type LinkSettings,
  readLinkSettings,
} from '../../../../features/links/domain/settings.js';
import { applyCheck, lookUpDomain } from '../../../../features/links/domain/verify.js';
import { forgetCheck } from '../../../../features/links/domain/verify-store.js';
import { buildBase } from '../../../../features/links/shortening/base.js';
import type { Clock } from '../../../../platform/clock.js';
import type { ResolveTxt } from '../../../../platform/net/txt-records.js';
import { iso } from '../../../http/schemas/values.js';
import { ok } from '../../answers.js';
import { LINKS } from '../../contract/account-settings/links.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';

export interface LinkSettingsOptions {
  pool: Parameters<typeof lookUpDomain>[0]['pool'];
  prisma: Parameters<typeof readLinkSettings>[0];
  clock: Clock;
  resolveTxt: ResolveTxt;
  /** The setting PUBLIC_URL. */
  publicUrl: string;
  /** The setting CONSOLE_URL. */
  consoleUrl?: string | undefined;
  linkDomains: { wake(): void };
}

export const linkSettingsEndpoints: Endpoints<LinkSettingsOptions> = async (app, options) => {
  const { pool, prisma, clock, resolveTxt, publicUrl, consoleUrl, linkDomains } = options;
  const route = registerRoutes(app, LINKS);
  const ownHosts = [publicUrl, consoleUrl].flatMap((url) => (url ? new URL(url).hostname : []));

  const toData = ({ isOn, domain }: LinkSettings) => ({
    isOn,
    base: buildBase(domain?.verifiedAt ? domain.host : null, publicUrl),
    domain: domain && {
      host: domain.host,
      recordName: getRecordName(domain.host),
      recordText: domain.token,
      verifiedAt: iso(domain.verifiedAt),
      checkedAt: iso(domain.checkedAt),
    },
  });

  route('GET /accounts/:accountId/links', async (request) =>
    ok(toData(await readLinkSettings(prisma, requestAccount(request).id))),
  );

  route('PUT /accounts/:accountId/links', async (request) => {
    const { id: accountId } = requestAccount(request);
    const { isOn, host } = request.body;
    return request.change(async (change) => {
      await lockAccount(change.prisma, accountId);
      const { before, after } = await changeLinkSettings(change.prisma, { accountId, ownHosts }, { isOn, host });
      change.afterCommit(() => linkDomains.wake());
      const audit = diffForAudit('account.links', accountId, auditedFields(before), auditedFields(after));
      return { result: ok(toData(after)), audit };
    });
  });

  route('POST /accounts/:accountId/links/check-domain', async (request) => {
    const { id: accountId } = requestAccount(request);
    const checked = await lookUpDomain({ pool, resolveTxt }, accountId);
    const storing = request.change(async (change) => {
      await lockAccount(change.prisma, accountId);
      const { before, after, result } = await applyCheck(change.prisma, accountId, checked, clock.now());
      change.afterCommit(() => linkDomains.wake());
      const { host } = checked;
      const audit = {
        ...{ action: 'account.linkDomain', subject: accountId },
        ...{ before: { host, isVerified: isVerified(before) }, after: { host, isVerified: isVerified(after), result } },
      };
      return { result: ok({ ...toData(after), result }), audit };
    });
    return storing.catch(async (error: unknown) => {
      await forgetCheck(pool, accountId);
      throw error;
    });
  });
};

function auditedFields({ isOn, domain }: LinkSettings) {
  return { isOn, host: domain?.host ?? null, isVerified: isVerified({ domain }) };
}

function isVerified({ domain }: Pick<LinkSettings, 'domain'>): boolean {
  return domain !== null && domain.verifiedAt !== null;
}
