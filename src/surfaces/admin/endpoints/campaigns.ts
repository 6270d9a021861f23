import { Readable } from 'node:stream';
import { findAccountRefusal } from '../../../accounts/account-settings.js';
import { bindToTransaction, type InTransaction } from '../../../accounts/audit/change.js';
import { diffForAudit } from '../../../accounts/audit/diff.js';
import {
  type CampaignWithGroup,
  type CountedCampaign,
  createCampaign,
  findGroups,
  getCampaign,
  listCampaignsBefore,
} from '../../../features/campaigns/campaigns.js';
import { cancelCampaign } from '../../../features/campaigns/cancel.js';
import { editCampaign } from '../../../features/campaigns/edit/edit.js';
import { estimateCampaign } from '../../../features/campaigns/estimate/estimate.js';
import { pauseCampaign, resumeCampaign } from '../../../features/campaigns/pause.js';
import { exportRecipients } from '../../../features/campaigns/results/export.js';
import { listRecipientsBefore } from '../../../features/campaigns/results/recipients.js';
import { readResults } from '../../../features/campaigns/results/results.js';
import { sendCampaignTest } from '../../../features/campaigns/test-send/test-send.js';
import { sendCsv } from '../../http/files/csv-answer.js';
import { claimForPath } from '../../http/idempotency-key.js';
import { bodyId, pathId } from '../../http/ids.js';
import { readOrigin } from '../../http/origin.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { applyCampaignChange } from '../../resources/records/campaign-change.js';
import { estimateRecord } from '../../resources/records/campaign-estimates.js';
import { campaignRecord, readCampaign, recipientRecord } from '../../resources/records/campaign-records.js';
import { campaignResultsRecord } from '../../resources/records/campaign-results.js';
import { campaignTestRecord } from '../../resources/records/campaign-tests.js';
import { variantFields } from '../../resources/records/variant-records.js';
import { cursorPage, cut, ok, oneMore } from '../answers.js';
import { CAMPAIGNS } from '../contract/campaigns.js';
import { ChannelResourcePath } from '../contract/paths.js';
import { type Endpoints, registerRoutes } from '../endpoint.js';
import { requestAccount, requestScope, requestSender } from '../session-auth.js';
import { csvDownload } from './people/csv-answer.js';

export type CampaignsOptions = UseCaseOptions<
  | typeof createCampaign
  | typeof getCampaign
  | typeof listCampaignsBefore
  | typeof listRecipientsBefore
  | typeof editCampaign
  | typeof estimateCampaign
  | typeof cancelCampaign
  | typeof pauseCampaign
  | typeof resumeCampaign
  | typeof readResults
  | typeof exportRecipients
  | typeof sendCampaignTest
>;

type AuditedField =
  | 'name'
  | 'templateName'
  | 'language'
  | 'text'
  | 'groupId'
  | 'groupIds'
  | 'audienceIds'
  | 'listedCount'
  | 'scheduledAt';

const BASE = '/accounts/:accountId/channels/:channelId/campaigns';
export const campaignEndpoints: Endpoints<CampaignsOptions> = async (app, options) => {
  const route = registerRoutes(app, CAMPAIGNS);
  const readCampaignId = ({ id }: { id: string }) => pathId(id, 'campaign');

  async function toData(
    scope: ReturnType<typeof requestScope>,
    campaign: CountedCampaign,
    prisma: InTransaction<CampaignsOptions>['prisma'] = options.prisma,
  ) {
    const groups = await findGroups(prisma, scope, [campaign]);
    return campaignView({ ...campaign, group: groups.get(campaign.groupId ?? '') ?? null });
  }

  route('GET /accounts/:accountId/channels/:channelId/campaigns', async (request) => {
    const page = cursorPage(request.query);
    const status = request.query.status || undefined;
    const campaigns = await listCampaignsBefore(options, requestScope(request), { status, ...oneMore(page) });
    return cut(campaigns.map(campaignView), page);
  });

  route('POST /accounts/:accountId/channels/:channelId/campaigns/estimate', async (request) => {
    const sender = requestSender(request);
    const campaign = readCampaign(request.body, sender.channel.kind);
    return ok(estimateRecord(await estimateCampaign(options, sender, campaign)));
  });

  route('POST /accounts/:accountId/channels/:channelId/campaigns', async (request) => {
    const sender = requestSender(request);
    const claim = claimForPath(request, `${sender.channel.id} console`);
    return request.change(async (change) => {
      const input = readCampaign(request.body, sender.channel.kind);
      const created = await createCampaign(bindToTransaction(options, change), sender, input, claim);
      const { campaign, replayed } = created;
      const { id } = campaign;
      const after = auditedFields(campaign);
      const result = ok(await toData(requestScope(request), campaign, change.prisma));
      return { result, audit: replayed ? null : { action: 'campaign.create', subject: id, after } };
    });
  });

  route('GET /accounts/:accountId/channels/:channelId/campaigns/:id', async (request) => {
    const scope = requestScope(request);
    return ok(await toData(scope, await getCampaign(options, scope, readCampaignId(request.params))));
  });

  route('PATCH /accounts/:accountId/channels/:channelId/campaigns/:id', async (request) => {
    const [id, sender] = [readCampaignId(request.params), requestSender(request)];
    return request.change(async (change) => {
      const { before, after } = await editCampaign(bindToTransaction(options, change), sender, id, (campaign) =>
        applyCampaignChange(campaign, request.body, sender.channel.kind),
      );
      const result = ok(await toData(requestScope(request), after, change.prisma));
      return { result, audit: diffForAudit('campaign.update', id, auditedFields(before), auditedFields(after)) };
    });
  });

  route('GET /accounts/:accountId/channels/:channelId/campaigns/:id/messages', async (request) => {
    const page = cursorPage(request.query);
    const filter = { status: request.query.status || undefined, ...oneMore(page) };
    const recipients = await listRecipientsBefore(
      options,
      requestScope(request),
      readCampaignId(request.params),
      filter,
    );
    return cut(recipients.map(recipientRecord), page);
  });

  route('GET /accounts/:accountId/channels/:channelId/campaigns/:id/results', async (request) =>
    ok(campaignResultsRecord(await readResults(options, requestScope(request), readCampaignId(request.params)))),
  );

  app.get(
    `${BASE}/:id/recipients.csv`,
    csvDownload({
      operationId: 'consoleExportCampaignRecipients',
      summary: 'Export every message of a campaign as CSV, with its status, price, error and times',
      params: ChannelResourcePath,
    }),
    async (request, reply) => {
      const { id } = request.params as { id: string };
      const parts = await exportRecipients(options, requestScope(request), pathId(id, 'campaign'));
      return sendCsv(reply, 'recipients.csv', Readable.from(parts));
    },
  );

  route('POST /accounts/:accountId/channels/:channelId/campaigns/:id/test', async (request) => {
    const [id, sender] = [readCampaignId(request.params), requestSender(request)];
    const refusal = findAccountRefusal(requestAccount(request));
    if (refusal) throw refusal;
    const claim = claimForPath(request, `${sender.channel.id} console`);
    const { to, contactId, variant = null } = request.body;
    const test = {
      to,
      contactId: contactId === undefined ? null : bodyId(contactId, 'contactId'),
      variant,
      origin: readOrigin(request),
    };
    return request.change(async (change) => {
      const inTransaction = bindToTransaction(options, change);
      const { messages, replayed } = await sendCampaignTest(inTransaction, change, sender, id, test, claim);
      const after = { messageIds: messages.map((message) => message.id) };
      const result = ok(campaignTestRecord(messages));
      return { result, audit: replayed ? null : { action: 'campaign.test', subject: id, after } };
    });
  });

  for (const [verb, changeState] of [
    ['pause', pauseCampaign],
    ['resume', resumeCampaign],
    ['cancel', cancelCampaign],
  ] as const) {
    route(`POST ${BASE}/:id/${verb}`, async (request) => {
      const [id, scope] = [readCampaignId(request.params), requestScope(request)];
      return request.change(async (change) => {
        const inTransaction = bindToTransaction(options, change);
        await changeState(inTransaction, { id, ...scope });
        const campaign = await getCampaign(inTransaction, scope, id);
        const result = ok(await toData(scope, campaign, change.prisma));
        return { result, audit: { action: `campaign.${verb}`, subject: id, after: { name: campaign.name } } };
      });
    });
  }
};

function auditedFields(campaign: Parameters<typeof variantFields>[0] & Pick<CountedCampaign, AuditedField>) {
  const { name, templateName, language, text, groupId, groupIds, audienceIds, listedCount, scheduledAt } = campaign;
  const recipients = groupId === null ? { groupIds, audienceIds, listedCount } : { groupId };
  const message = text === null ? { templateName, language } : { text };
  const { variants, test } = variantFields(campaign);
  return { name, ...message, ...recipients, scheduledAt, ...(variants.length > 0 && { variants, test }) };
}

function campaignView({ group, ...campaign }: CampaignWithGroup) {
  const { status, memberCount, messageCount, skippedCount, refusedCount, cappedCount } = campaign;
  const handledCount = messageCount + skippedCount + refusedCount + cappedCount;
  // Members who left the group after the campaign started have no message and are not counted as remaining.
  const isCompleted = status === 'completed';
  const recipientCount = isCompleted
    ? handledCount
    : Math.max(
        handledCount,
        memberCount ?? (handledCount === 0 ? (group?.contactCount ?? campaign.listedCount) : handledCount),
      );
  return {
    ...campaignRecord(campaign),
    groupName: group?.name ?? null,
    recipientCount,
    leftCount: recipientCount - handledCount,
  };
}
