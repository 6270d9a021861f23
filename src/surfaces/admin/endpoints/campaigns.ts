import { type Inside, inside } from '../../../accounts/audit/change.js';
import { moneyToNumber } from '../../../accounts/money.js';
import {
  type CampaignWithGroup,
  type CountedCampaign,
  createCampaign,
  findGroups,
  getCampaign,
  listCampaignsBefore,
} from '../../../features/campaigns/campaigns.js';
import { cancelCampaign } from '../../../features/campaigns/cancel.js';
import { type CampaignEstimate, estimateCampaign } from '../../../features/campaigns/estimate/estimate.js';
import { pauseCampaign, resumeCampaign } from '../../../features/campaigns/pause.js';
import { listRecipientsBefore } from '../../../features/campaigns/recipients.js';
import { claimOfPath } from '../../http/idempotency-key.js';
import { pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { campaignRecord, readCampaign, recipientRecord } from '../../resources/records/campaign-records.js';
import { cursorPage, cut, ok, oneMore } from '../answers.js';
import { CAMPAIGNS } from '../contract/campaigns.js';
import { type Endpoints, routesOf } from '../endpoint.js';
import { scopeOf, senderOf } from '../session-auth.js';

export type CampaignsOptions = OptionsOf<
  | typeof createCampaign
  | typeof getCampaign
  | typeof listCampaignsBefore
  | typeof listRecipientsBefore
  | typeof estimateCampaign
  | typeof cancelCampaign
  | typeof pauseCampaign
  | typeof resumeCampaign
>;

const BASE = '/accounts/:accountId/channels/:channelId/campaigns';
/** The campaigns of a channel: what Surface B does with them, and an estimate. */
export const campaignEndpoints: Endpoints<CampaignsOptions> = async (app, options) => {
  const route = routesOf(app, CAMPAIGNS);
  const idOf = ({ id }: { id: string }) => pathId(id, 'campaign');

  /** A campaign with its group. */
  async function shown(
    scope: ReturnType<typeof scopeOf>,
    campaign: CountedCampaign,
    prisma: Inside<CampaignsOptions>['prisma'] = options.prisma,
  ) {
    const groups = await findGroups(prisma, scope, [campaign]);
    return campaignView({ ...campaign, group: groups.get(campaign.groupId) ?? null });
  }

  route('GET /accounts/:accountId/channels/:channelId/campaigns', async (request) => {
    const page = cursorPage(request.query);
    const status = request.query.status || undefined;
    const found = await listCampaignsBefore(options, scopeOf(request), { status, ...oneMore(page) });
    return cut(found.map(campaignView), page);
  });

  route('POST /accounts/:accountId/channels/:channelId/campaigns/estimate', async (request) =>
    ok(estimateView(await estimateCampaign(options, senderOf(request), readCampaign(request.body)))),
  );

  route('POST /accounts/:accountId/channels/:channelId/campaigns', async (request) => {
    const claim = claimOfPath(request, `${senderOf(request).channel.id} console`);
    return request.change(async (change) => {
      const asked = readCampaign(request.body);
      const made = await createCampaign(inside(options, change), senderOf(request), asked, claim);
      const { campaign, replayed } = made;
      const { id, name, templateName, language, groupId, scheduledAt } = campaign;
      const after = { name, templateName, language, groupId, scheduledAt };
      const result = ok(await shown(scopeOf(request), campaign, change.prisma));
      return { result, told: replayed ? null : { action: 'campaign.create', subject: id, after } };
    });
  });

  route('GET /accounts/:accountId/channels/:channelId/campaigns/:id', async (request) => {
    const scope = scopeOf(request);
    return ok(await shown(scope, await getCampaign(options, scope, idOf(request.params))));
  });

  route('GET /accounts/:accountId/channels/:channelId/campaigns/:id/messages', async (request) => {
    const page = cursorPage(request.query);
    const filter = { status: request.query.status || undefined, ...oneMore(page) };
    const found = await listRecipientsBefore(options, scopeOf(request), idOf(request.params), filter);
    return cut(found.map(recipientRecord), page);
  });

  for (const [verb, what] of [
    ['pause', pauseCampaign],
    ['resume', resumeCampaign],
    ['cancel', cancelCampaign],
  ] as const) {
    route(`POST ${BASE}/:id/${verb}`, async (request) => {
      const [id, scope] = [idOf(request.params), scopeOf(request)];
      return request.change(async (change) => {
        const inChange = inside(options, change);
        await what(inChange, { id, ...scope });
        const campaign = await getCampaign(inChange, scope, id);
        const result = ok(await shown(scope, campaign, change.prisma));
        return { result, told: { action: `campaign.${verb}`, subject: id, after: { name: campaign.name } } };
      });
    });
  }
};

function campaignView({ group, ...campaign }: CampaignWithGroup) {
  const { status, memberCount, messageCount, skippedCount, refusedCount } = campaign;
  const made = messageCount + skippedCount + refusedCount;
  // Who left the group since it began has no message, and is none of those that are left.
  const isOver = status === 'completed';
  const recipientCount = isOver
    ? made
    : Math.max(made, memberCount ?? (made === 0 ? (group?.contactCount ?? 0) : made));
  return {
    ...campaignRecord(campaign),
    groupName: group?.name ?? null,
    recipientCount,
    leftCount: recipientCount - made,
  };
}

function estimateView({ countries, totalMicros, balanceMicros, ...estimate }: CampaignEstimate) {
  return {
    ...estimate,
    countries: countries.map(({ callingCode, messages, priceMicros }) => ({
      callingCode,
      messages,
      price: moneyToNumber(priceMicros),
      total: moneyToNumber(priceMicros * BigInt(messages)),
    })),
    total: moneyToNumber(totalMicros),
    balance: moneyToNumber(balanceMicros),
  };
}
