import type { Static } from '@sinclair/typebox';
import { filterByAudience } from '../../../../features/audiences/contact-filter.js';
import { checkTagEdit, editTags } from '../../../../features/contacts/bulk/bulk-tags.js';
import { readMarksFilter } from '../../../../features/contacts/custom/filter.js';
import { findMatchingIds } from '../../../../features/contacts/groups/add-found.js';
import { isSearchable } from '../../../../features/contacts/search/term.js';
import type { Clock } from '../../../../platform/clock.js';
import { invalidField } from '../../../../platform/errors/app-error.js';
import { pathId, requireFound, uniqueIds } from '../../../http/ids.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { ok } from '../../answers.js';
import { BULK_TAG } from '../../contract/people/contacts.js';
import type { FoundBody } from '../../contract/people/groups-schemas.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestScope } from '../../session-auth.js';

export type BulkTagOptions = UseCaseOptions<typeof findMatchingIds | typeof readMarksFilter> & { clock: Clock };

export const bulkTagEndpoints: Endpoints<BulkTagOptions> = async (app, options) => {
  const route = registerRoutes(app, BULK_TAG);

  route('POST /accounts/:accountId/channels/:channelId/contacts/bulk-tag', async (request) => {
    const { contactIds, found, add, remove } = request.body;
    const scope = requestScope(request);
    const edit = checkTagEdit({ add, remove });
    if ((contactIds === undefined) === (found === undefined))
      throw invalidField('contactIds', 'must be sent, or found instead');
    // The search runs before the transaction, because the transaction locks contacts.
    const ids = contactIds ? uniqueIds(contactIds) : await findIds(scope, found ?? {});
    return request.change(async ({ client }) => {
      const changed = await editTags({ pool: client }, scope, ids, edit, options.clock.now());
      const after = { ...edit, ...(contactIds ? { contactIds: ids } : { found }), changed };
      const auditEntry = { action: 'contact.tag', subject: `${changed} contacts`, after };
      return { result: ok({ changed, unchanged: ids.length - changed }), audit: changed === 0 ? null : auditEntry };
    });
  });

  const findIds = async (
    { accountId, channelId }: { accountId: string; channelId: string },
    { search = '', groupId = '', audienceId, tags, fields }: Static<typeof FoundBody>,
  ) => {
    const marks = await readMarksFilter(options, accountId, { tags, fields });
    const sourceGroupId = groupId === '' ? undefined : pathId(groupId, 'group');
    if (!isSearchable(search)) return [];
    const filter = await filterByAudience(
      options.pool,
      { accountId, channelId },
      {
        filter: { channelId, groupId: sourceGroupId, term: search || undefined, ...marks },
        id: audienceId || undefined,
        now: options.clock.now(),
      },
    );
    return await findMatchingIds(options, requireFound(filter, 'audience'));
  };
};
