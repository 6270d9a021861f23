import type { FastifyRequest } from 'fastify';
import { findAccountRefusal } from '../../../../accounts/account-settings.js';
import { bindToTransaction } from '../../../../accounts/audit/change.js';
import { commitWithParties, toRefusedOutcome } from '../../../../features/conversations/sending/commit-with-parties.js';
import {
  composeReply,
  composeTemplateSend,
  type SendOptions,
} from '../../../../features/conversations/sending/compose.js';
import { composeFileReply } from '../../../../features/conversations/sending/compose-file.js';
import { sendAndWait } from '../../../../features/conversations/sending/send-and-wait.js';
import { playInbound } from '../../../../features/inbound/play.js';
import type { Acceptor, Commit } from '../../../../messages/accept/acceptor.js';
import type { CommitOutcome } from '../../../../messages/accept/pending-request.js';
import type { SendRequest } from '../../../../messages/compose/send-request.js';
import { claimForPath } from '../../../http/idempotency-key.js';
import { bodyId } from '../../../http/ids.js';
import { readOrigin } from '../../../http/origin.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { readTarget } from '../../../resources/people/people.js';
import { ok } from '../../answers.js';
import { SENDS } from '../../contract/inbox/sends.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount, requestChannel } from '../../session-auth.js';

export type SendsOptions = UseCaseOptions<
  typeof composeReply | typeof composeFileReply | typeof composeTemplateSend | typeof sendAndWait | typeof playInbound
> & { acceptor: Pick<Acceptor, 'acceptWithin'> };

export const sendEndpoints: Endpoints<SendsOptions> = async (app, options) => {
  const route = registerRoutes(app, SENDS);
  const send = async (
    request: FastifyRequest,
    action: string,
    compose: (
      sender: { account: ReturnType<typeof requestAccount>; channel: ReturnType<typeof requestChannel> },
      context: SendOptions,
    ) => Promise<SendRequest>,
  ) => {
    const [account, channel] = [requestAccount(request), requestChannel(request)];
    const refusal = findAccountRefusal(account);
    if (refusal) throw refusal;
    const idempotency = claimForPath(request, `${channel.id} console`);
    const commit: Commit = (prepared) =>
      request
        .change<CommitOutcome>(async (change) => {
          const committed = await commitWithParties(options.acceptor, change, prepared);
          const [contactId = null] = committed.recipients.map((recipient) => recipient.contactId);
          const after = { channelId: channel.id, contactId };
          return { result: 'accepted', audit: { action, subject: prepared.ids[0] as string, after } };
        })
        .catch(toRefusedOutcome);
    const result = await sendAndWait(options, {
      account,
      claim: idempotency,
      origin: readOrigin(request),
      compose: () => compose({ account, channel }, { idempotency }),
      onAccepted: (messages) => {
        request.accepted = messages;
      },
      commit,
      onReplay: () => undefined,
    });
    const { messageId, contactId, conversationId, status } = result;
    return ok({ messageId, contactId, conversationId, status });
  };

  route('POST /accounts/:accountId/channels/:channelId/messages/reply', (request) =>
    send(request, 'message.reply', async (sender, context) => {
      const { message, purpose } = request.body;
      return composeReply(options, sender, { ...readTarget(request.body), message, purpose }, context);
    }),
  );

  route('POST /accounts/:accountId/channels/:channelId/messages/file', (request) =>
    send(request, 'message.reply', async (sender, context) => {
      const { caption } = request.body;
      const file = { target: readTarget(request.body), mediaId: bodyId(request.body.mediaId, 'mediaId'), caption };
      return composeFileReply(options, sender, file, context);
    }),
  );

  route('POST /accounts/:accountId/channels/:channelId/messages/template', (request) =>
    send(request, 'message.template', async (sender, context) => {
      const { templateName, language, components, purpose } = request.body;
      const choice = { ...readTarget(request.body), templateName, language, components, purpose };
      return composeTemplateSend(options, sender, choice, { ...context, createPartyOnCommit: true });
    }),
  );

  route('POST /accounts/:accountId/channels/:channelId/simulator/inbound', async (request) => {
    const channel = { ...requestChannel(request), accountId: requestAccount(request).id };
    return request.change(async (change) => {
      const inTransaction = { ...bindToTransaction(options, change), change };
      const { repeated, ...inbound } = await playInbound(inTransaction, channel, request.body);
      const { messageId, contactId, conversationId, receivedAt } = inbound;
      const auditEntry = { action: 'simulator.inbound', subject: messageId, after: { channelId: channel.id } };
      const result = ok({ messageId, contactId, conversationId, receivedAt: receivedAt.toISOString() });
      return { result, audit: repeated ? null : auditEntry };
    });
  });
};
