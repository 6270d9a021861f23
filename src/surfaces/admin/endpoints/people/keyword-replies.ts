import { lockAccount } from '../../../../accounts/accounts.js';
import { diffForAudit } from '../../../../accounts/audit/diff.js';
import { findAndLockChannel } from '../../../../features/channels/channels.js';
import {
  type ChannelRepliesChange,
  changeAccountReplies,
  changeChannelReplies,
} from '../../../../features/keyword-replies/change-settings.js';
import { listReplySettings } from '../../../../features/keyword-replies/list-settings.js';
import { REPLY_LANGUAGES } from '../../../../features/keyword-replies/texts.js';
import { ok } from '../../answers.js';
import { KEYWORD_REPLIES } from '../../contract/people/keyword-replies.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount, requestChannel } from '../../session-auth.js';

export interface KeywordRepliesOptions {
  prisma: Parameters<typeof listReplySettings>[0];
}

export const keywordReplyEndpoints: Endpoints<KeywordRepliesOptions> = async (app, { prisma }) => {
  const route = registerRoutes(app, KEYWORD_REPLIES);
  const answer = async (store: typeof prisma, accountId: string) =>
    ok({ ...(await listReplySettings(store, accountId)), languages: [...REPLY_LANGUAGES] });

  route('GET /accounts/:accountId/keyword-replies', (request) => answer(prisma, requestAccount(request).id));

  route('PUT /accounts/:accountId/keyword-replies', async (request) => {
    const { id } = requestAccount(request);
    return request.change(async (change) => {
      await lockAccount(change.prisma, id);
      const { before, after } = await changeAccountReplies(change.prisma, id, pickChange(request.body));
      return {
        result: await answer(change.prisma, id),
        audit: diffForAudit('account.keywordReplies', id, before, after),
      };
    });
  });

  route('PUT /accounts/:accountId/channels/:channelId/keyword-replies', async (request) => {
    const { id: accountId } = requestAccount(request);
    const { id } = requestChannel(request);
    return request.change(async (change) => {
      await findAndLockChannel(change.prisma, id);
      const { before, after } = await changeChannelReplies(change.prisma, { id, accountId }, pickChange(request.body));
      return {
        result: await answer(change.prisma, accountId),
        audit: diffForAudit('channel.keywordReplies', id, before, after),
      };
    });
  });
};

function pickChange<T extends ChannelRepliesChange>({ isOn, language, name, contact, texts }: T) {
  return { isOn, language, name, contact, texts } as Pick<T, 'isOn' | 'language' | 'name' | 'contact' | 'texts'>;
}
