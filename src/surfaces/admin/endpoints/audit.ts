import { type AuditFilter, listAudit } from '../../../accounts/audit/list.js';
import { namesIn } from '../../../accounts/audit/names.js';
import type { Reads } from '../../../platform/reads/reads.js';
import { parseTimestamp } from '../../../platform/timestamps.js';
import type { OptionsOf } from '../../http/options-of.js';
import { cursorPage, page } from '../answers.js';
import { AUDIT } from '../contract/audit.js';
import { type Endpoints, routesOf } from '../endpoint.js';
import { accountOf } from '../session-auth.js';

export type AuditOptions = OptionsOf<typeof listAudit> & OptionsOf<typeof namesIn> & { reads: Reads };

/** The audit log, of an account and of the whole installation. */
export const auditEndpoints: Endpoints<AuditOptions> = async (app, options) => {
  const route = routesOf(app, AUDIT);
  route('GET /accounts/:accountId/audit', async (request) => answer(request.query, accountOf(request).id));

  route('GET /audit', async ({ query }) => answer(query));

  async function answer(query: Query, accountId?: string) {
    const { lines, next, names } = await options.reads(async (store) => {
      const readable = { ...options, ...store };
      const found = await listAudit(readable, filterOf(query, accountId), cursorPage(query));
      return { ...found, names: await namesIn(readable, found.lines, accountId) };
    });
    return page(
      lines.map(({ id, at, action, accountId: of, subject, before, after, ...actor }) => ({
        id,
        at: at.toISOString(),
        actor: {
          kind: actor.actorKind as 'operator' | 'cli' | 'system',
          id: actor.actorId,
          name: actor.actorName,
          address: actor.address,
        },
        action,
        accountId: of,
        subject,
        before: before as object | null,
        after: after as object | null,
        names: namesOf([of, subject, before, after], names),
      })),
      next,
    );
  }
};

/** Those of the names that a line needs. */
function namesOf(line: unknown, names: ReadonlyMap<string, string>): Record<string, string> {
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

function filterOf({ actor, action, subject, from, to }: Query, accountId: string | undefined): AuditFilter {
  return {
    accountId,
    actor,
    action,
    subject,
    from: from === undefined ? undefined : parseTimestamp(from, 'from'),
    to: to === undefined ? undefined : parseTimestamp(to, 'to'),
  };
}
