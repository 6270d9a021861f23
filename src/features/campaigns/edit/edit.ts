import { isOwnUserId } from '../../../carriers/numbers/user-ids.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { Campaign } from '../../../platform/generated/prisma/client.js';
import { isUuid } from '../../../platform/ids.js';
import { withTransaction } from '../../../platform/store/with-transaction.js';
import type { ChannelSender } from '../../conversations/sending/compose.js';
import {
  type CampaignStores,
  type CheckOptions,
  type CountedCampaign,
  checkCampaign,
  getCampaign,
  getCampaignState,
  type NewCampaign,
  requireCampaign,
} from '../campaigns.js';
import { deleteMemberVariables, insertMemberVariables, type MemberVariables } from '../message/variables-store.js';
import { deleteListed, insertListed, readListedPhones } from '../recipients/listed-store.js';
import { toSourceColumns } from '../recipients/sources.js';
import { readStoredVariables, readVersion, updateCampaignRow } from './edit-store.js';

/** A campaign that has not started, with all values of its variables. */
export type EditableCampaign = Campaign & {
  memberVariables: MemberVariables[];
  /** Numbers on the list of recipients, without deleted contacts. */
  listedPhones: string[];
};

/** Attempts while the campaign is being changed elsewhere, for example paused. */
const MAX_ATTEMPTS = 5;

/**
 * Changes a campaign that has not started. The result is checked like a new campaign.
 * @param change returns the whole campaign with its changes
 * @returns the campaign before and after the change
 * @throws {AppError} NOT_FOUND for an unknown campaign, CONFLICT if the campaign has started or ended, or as `createCampaign`
 */
export async function editCampaign(
  deps: CampaignStores & CheckOptions,
  sender: ChannelSender,
  id: string,
  change: (campaign: EditableCampaign) => NewCampaign,
): Promise<{ before: Campaign; after: CountedCampaign }> {
  const { pool, prisma, clock } = deps;
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    // The version is read first: if the campaign changes after that, the update changes nothing and is repeated.
    const version = await readVersion(pool, { id, ...scope });
    const before = await requireCampaign(prisma, scope, id);
    if (before.status !== 'scheduled') {
      throw new AppError(
        'CONFLICT',
        `The campaign is ${getCampaignState(before)}. Only a campaign that has not started can be changed.`,
      );
    }
    const memberVariables = (await readStoredVariables(pool, id)).map(toMemberVariables);
    const changed = change({ ...before, memberVariables, listedPhones: await readListedPhones(pool, id) });
    const { content, variants, shortenLinks } = await checkCampaign(deps, sender, changed);
    const hasVariables = changed.memberVariables.length > 0 || Object.keys(changed.variables).length > 0;
    const row = {
      name: changed.name,
      content,
      variables: hasVariables ? changed.variables : null,
      shortenLinks,
      ...toSourceColumns(changed.recipients),
      scheduledAt: changed.scheduledAt,
      variants,
      test: changed.test ?? null,
    };
    const isUpdated = await withTransaction(pool, async (client) => {
      if (version === null || !(await updateCampaignRow(client, { id, version }, row))) return false;
      await deleteMemberVariables(client, id);
      await insertMemberVariables(client, id, changed.memberVariables);
      await deleteListed(client, id);
      const { phones } = changed.recipients;
      await insertListed(
        client,
        id,
        { ...scope, kind: sender.channel.kind ?? 'whatsapp' },
        { phones, now: clock.now() },
      );
      return true;
    });
    if (isUpdated) return { before, after: await getCampaign(deps, scope, id) };
  }
  throw new AppError('CONFLICT', 'The campaign is being changed elsewhere. Repeat the request.');
}

function toMemberVariables({ key, variables }: { key: string; variables: Record<string, string> }): MemberVariables {
  if (isUuid(key)) return { contactId: key, variables };
  return isOwnUserId(key) ? { userId: key, variables } : { phone: key, variables };
}
