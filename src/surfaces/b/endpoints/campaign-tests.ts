import { sendCampaignTest } from '../../../features/campaigns/test-send/test-send.js';
import type { AcceptingHost } from '../../../messages/accept/accept-within.js';
import { bodyId, OnePath, pathId } from '../../http/ids.js';
import { readOrigin } from '../../http/origin.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { CampaignTestBody, CampaignTestData, campaignTestRecord } from '../../resources/records/campaign-tests.js';
import { channelClaim } from '../../resources/sends/channel-claim.js';
import { okOnce } from '../answers.js';
import { CAMPAIGNS, type Endpoints } from '../endpoint.js';

export type CampaignTestOptions = UseCaseOptions<typeof sendCampaignTest> & { pool: AcceptingHost };

export const campaignTestEndpoints: Endpoints<CampaignTestOptions> = async (app, options) => {
  app.post(
    '/campaigns/:id/test',
    CAMPAIGNS.write({
      operationId: 'testCampaign',
      idempotent: true,
      summary: 'Send the message of a campaign to your own numbers',
      description:
        'The messages are charged, and opt-outs, limits and quiet hours apply to them. They do not count in the results of the campaign. 409 if the campaign has ended.',
      params: OnePath,
      body: CampaignTestBody,
      data: CampaignTestData,
      errors: [402, 404, 409, 422],
    }),
    async (request, reply) => {
      const { caller, params, body } = request;
      const { to, contactId, variant = null } = body;
      const { messages, replayed } = await sendCampaignTest(
        options,
        options.pool,
        caller,
        pathId(params.id, 'campaign'),
        {
          to,
          contactId: contactId === undefined ? null : bodyId(contactId, 'contactId'),
          variant,
          origin: readOrigin(request),
        },
        channelClaim(request),
      );
      return okOnce(reply, replayed, campaignTestRecord(messages));
    },
  );
};
