import type { FastifyRequest } from 'fastify';
import { refusalOf } from '../../../../accounts/account-settings.js';
import { inside } from '../../../../accounts/audit/change.js';
import { commitWithParties, outcomeFromError } from '../../../../features/conversations/sending/commit-with-parties.js';
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
import { claimOfPath } from '../../../http/idempotency-key.js';
import { bodyId } from '../../../http/ids.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { originOf } from '../../../http/origin.js';
import { targetOf } from '../../../resources/people/people.js';
import { ok } from '../../answers.js';
import { SENDS } from '../../contract/inbox/sends.js';
import { type Endpoints, routesOf } from '../../endpoint.js';
import { accountOf, channelOf } from '../../session-auth.js';

export type SendsOptions = OptionsOf<
  typeof composeReply | typeof composeFileReply | typeof composeTemplateSend | typeof sendAndWait | typeof playInbound
> & { acceptor: Pick<Acceptor, 'within'> };

/** Writing to the contacts of a channel, and for them where its carrier is the simulator. */
export const sendEndpoints: Endpoints<SendsOptions> = async (app, options) => {
  const route = routesOf(app, SENDS);
  /** Sends on behalf of the channel of the path, and writes down who did. */
  const send = async (
    request: FastifyRequest,
    action: string,
    compose: (
      sender: { account: ReturnType<typeof accountOf>; channel: ReturnType<typeof channelOf> },
      how: SendOptions,
    ) => Promise<SendRequest>,
  ) => {
    const [account, channel] = [accountOf(request), channelOf(request)];
    const refusal = refusalOf(account);
    if (refusal) throw refusal;
    const idempotency = claimOfPath(request, `${channel.id} console`);
    /** The send, its contact where it is new, and the line that says who sent it are one commit. */
    const commit: Commit = (prepared) =>
      request
        .change<CommitOutcome>(async (change) => {
          const made = await commitWithParties(options.acceptor, change, prepared);
          const [contactId = null] = made.recipients.map((each) => each.contactId);
          const after = { channelId: channel.id, contactId };
          return { result: 'accepted', told: { action, subject: prepared.ids[0] as string, after } };
        })
        .catch(outcomeFromError);
    const sent = await sendAndWait(options, {
      account,
      claim: idempotency,
      origin: originOf(request),
      compose: () => compose({ account, channel }, { idempotency }),
      onAccepted: (messages) => {
        request.accepted = messages;
      },
      commit,
      onReplay: () => undefined,
    });
    const { messageId, contactId, conversationId, status } = sent;
    return ok({ messageId, contactId, conversationId, status });
  };

  route('POST /accounts/:accountId/channels/:channelId/messages/reply', (request) =>
    send(request, 'message.reply', async (sender, how) => {
      const { message } = request.body;
      return composeReply(options, sender, { ...targetOf(request.body), message }, how);
    }),
  );

  route('POST /accounts/:accountId/channels/:channelId/messages/file', (request) =>
    send(request, 'message.reply', async (sender, how) => {
      const { caption } = request.body;
      const file = { target: targetOf(request.body), mediaId: bodyId(request.body.mediaId, 'mediaId'), caption };
      return composeFileReply(options, sender, file, how);
    }),
  );

  route('POST /accounts/:accountId/channels/:channelId/messages/template', (request) =>
    send(request, 'message.template', async (sender, how) => {
      const { templateName, language, components } = request.body;
      const choice = { ...targetOf(request.body), templateName, language, components };
      return composeTemplateSend(options, sender, choice, { ...how, createPartyOnCommit: true });
    }),
  );

  route('POST /accounts/:accountId/channels/:channelId/simulator/inbound', async (request) => {
    const channel = { ...channelOf(request), accountId: accountOf(request).id };
    return request.change(async (change) => {
      const { repeated, ...played } = await playInbound(inside(options, change), channel, request.body);
      const { messageId, contactId, conversationId, receivedAt } = played;
      const told = { action: 'simulator.inbound', subject: messageId, after: { channelId: channel.id } };
      const result = ok({ messageId, contactId, conversationId, receivedAt: receivedAt.toISOString() });
      return { result, told: repeated ? null : told };
    });
  });
};
