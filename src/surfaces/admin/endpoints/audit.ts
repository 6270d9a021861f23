import { findAuditNames } from '../../../accounts/audit/find-names.js';
import { type AuditFilter, listAudit } from '../../../accounts/audit/list.js';
import type { Reads } from '../../../platform/reads/reads.js';
import { parseTimestamp } from '../../../platform/timestamps.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { cursorPage, page } from '../answers.js';
import { AUDIT } from '../contract/audit.js';
import { type Endpoints, registerRoutes } from '../endpoint.js';
import { requestAccount } from '../session-auth.js';

export type AuditOptions = UseCaseOptions<typeof listAudit> & UseCaseOptions<typeof findAuditNames> & { reads: Reads };

export const auditEndpoints: Endpoints<AuditOptions> = async (app, options) => {
  const route = registerRoutes(app, AUDIT);
  route('GET /accounts/:accountId/audit', async (request) => answerPage(request.query, requestAccount(request).id));

  route('GET /audit', async ({ query }) => answerPage(query));

  async function answerPage(query: Query, accountId?: string) {
    const { lines, next, names } = await options.reads(async (store) => {
      const readable = { ...options, ...store };
      const entries = await listAudit(readable, toFilter(query, accountId), cursorPage(query));
      return { ...entries, names: await findAuditNames(readable, entries.lines, accountId) };
    });
    return page(
      lines.map(({ id, at, action, accountId: lineAccountId, subject, before, after, ...actor }) => ({
        id,
        at: at.toISOString(),
        actor: {
          kind: actor.actorKind as 'operator' | 'cli' | 'system',
          id: actor.actorId,
          name: actor.actorName,
          address: actor.address,
        },
        action,
        accountId: lineAccountId,
        subject,
        before: before as object | null,
        after: after as object | null,
        names: selectNames([lineAccountId, subject, before, after], names),
      })),
      next,
    );
  }
};

function selectNames(line: unknown, names: ReadonlyMap<string, string>): Record<string, string> {
  const text = JSON.stringify(line);
  return Object.fromEntries([...names].filter(([id]) => text.includes(id)));
}

interface Query {
  actor?: string;
  action?: string;
  subject?: string;
  from?: string;
  to?: string;
  limit?: number;
  cursor?: string;
}

function toFilter({ actor, action, subject, from, to }: Query, accountId: string | undefined): AuditFilter {
  return {
    accountId,
    actor,
    action,
    subject,
    from: from === undefined ? undefined : parseTimestamp(from, 'from'),
    to: to === undefined ? undefined : parseTimestamp(to, 'to'),
  };
}
