import { Readable } from 'node:stream';
import { exportRecipients } from '../../../features/campaigns/results/export.js';
import { readResults } from '../../../features/campaigns/results/results.js';
import { sendCsv } from '../../http/files/csv-answer.js';
import { OnePath, pathId } from '../../http/ids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { CampaignResultsRecord, campaignResultsRecord } from '../../resources/records/campaign-results.js';
import { ok } from '../answers.js';
import { CAMPAIGNS, CSV_FILE, type Endpoints } from '../endpoint.js';

export type CampaignResultsOptions = UseCaseOptions<typeof readResults | typeof exportRecipients>;

export const campaignResultEndpoints: Endpoints<CampaignResultsOptions> = async (app, options) => {
  app.get(
    '/campaigns/:id/results',
    CAMPAIGNS.read({
      operationId: 'getCampaignResults',
      summary: 'Get the results of a campaign',
      description:
        'Recipients, deliveries, replies, opt-outs, cost and errors. Messages that were deleted after `MESSAGE_RETENTION_DAYS` are not included.',
      params: OnePath,
      data: CampaignResultsRecord,
    }),
    async ({ params, caller }) =>
      ok(campaignResultsRecord(await readResults(options, channelScope(caller), pathId(params.id, 'campaign')))),
  );

  app.get(
    '/campaigns/:id/recipients.csv',
    CAMPAIGNS.read({
      operationId: 'exportCampaignRecipients',
      summary: 'Export every message of a campaign as CSV',
      description:
        'One line per message, oldest first, with its status, price, error and times. The column `cost` adds up to the total cost of the campaign.',
      params: OnePath,
      data: CSV_FILE,
    }),
    async ({ params, caller }, reply) => {
      const parts = await exportRecipients(options, channelScope(caller), pathId(params.id, 'campaign'));
      return sendCsv(reply, 'recipients.csv', Readable.from(parts));
    },
  );
};
