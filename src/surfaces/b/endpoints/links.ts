import { Type } from '@sinclair/typebox';
import { findVerifiedHost } from '../../../features/links/domain/verify-store.js';
import { findLinks } from '../../../features/links/link-store.js';
import { buildBase } from '../../../features/links/shortening/base.js';
import { findChannelMessage } from '../../../messages/status/find-message.js';
import { PathId, pathId, requireFound } from '../../http/ids.js';
import { iso, NullableTimestamp } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { ok } from '../answers.js';
import { type Endpoints, endpoint } from '../endpoint.js';

export type LinkOptions = UseCaseOptions<typeof findChannelMessage> & {
  pool: Parameters<typeof findLinks>[0];
  publicUrl: string;
};

const LinkData = Type.Object({
  url: Type.String({
    description: 'The URL that the link leads to.',
    examples: ['https://shop.example/offers'],
  }),
  shortUrl: Type.String({
    description: 'The link in the message, with the current domain of the account.',
    examples: ['https://messages.example.com/l/h7Kd93Lq2Z'],
  }),
  clicks: Type.Integer({ description: 'Clicks by people.' }),
  botClicks: Type.Integer({ description: 'Visits by bots and link previews.' }),
  firstClickedAt: Type.Unsafe<string | null>({ ...NullableTimestamp, description: 'Of a person.' }),
  lastClickedAt: Type.Unsafe<string | null>({ ...NullableTimestamp, description: 'Of a person.' }),
});

export const linkEndpoints: Endpoints<LinkOptions> = async (app, options) => {
  app.get(
    '/messages/links/:messageId',
    endpoint(
      'Channel messages',
      'messages:read',
    )({
      operationId: 'listMessageLinks',
      summary: 'List the short links of a message, with their clicks',
      description: 'Empty for a message without short links. Clicks are counted within a second.',
      params: Type.Object({ messageId: PathId }),
      data: Type.Array(LinkData),
    }),
    async ({ params, caller }) => {
      const id = pathId(params.messageId, 'message');
      const scope = channelScope(caller);
      requireFound(await findChannelMessage(options, scope, id), 'message');
      const links = await findLinks(options.pool, { messageId: id, accountId: scope.accountId });
      const base = buildBase(await findVerifiedHost(options.pool, scope.accountId), options.publicUrl);
      return ok(
        links.map(({ code, target, clicks, botClicks, firstClickedAt, lastClickedAt }) => ({
          url: target,
          shortUrl: base + code,
          clicks,
          botClicks,
          firstClickedAt: iso(firstClickedAt),
          lastClickedAt: iso(lastClickedAt),
        })),
      );
    },
  );
};
