import {
  composeRich,
  NOT_REFERRED,
  type RichInput,
  type RichMessage,
  richProblems,
} from '../../../messages/compose/rich.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { invalidFields } from '../../../platform/errors/field-problems.js';
import { requireWhatsapp } from '../../channels/ask-carrier.js';
import { findReferred } from '../../channels/referred-store.js';
import { requireMedia } from '../../media/require-media.js';
import { parties, type SendTarget } from '../parties.js';
import {
  type ChannelSender,
  channelRequest,
  type ReplyOptions,
  requireReachable,
  type SendOptions,
} from './compose.js';

/**
 * A send in Meta's shape to a contact who wrote within the last 24 hours.
 * @throws {AppError} INVALID_REQUEST with every field that breaks a rule; FORBIDDEN from a channel of SMS or one that is not
 * active; WINDOW_EXPIRED as for a reply; as `requireMedia`
 */
export async function composeRichReply(
  options: ReplyOptions,
  sender: ChannelSender,
  { target, input }: { target: SendTarget; input: RichInput },
  how?: SendOptions,
): Promise<SendRequest> {
  requireWhatsapp(sender.channel);
  requireReachable(options, sender, target);
  const problems = richProblems(input);
  if (problems.length > 0) throw invalidFields(problems);
  const { address, party } = await parties(options, sender).requireOpenWindow(target);
  const message = await composeOrRefuse(input, (id) =>
    findReferred(options, { accountId: sender.account.id, channelId: sender.channel.id }, id),
  );
  await requireMedia(options, sender.channel.id, message.content);
  return channelRequest(sender, message, [{ digits: address, plus: false, ...party }], how);
}

async function composeOrRefuse(...args: Parameters<typeof composeRich>): Promise<RichMessage> {
  const composed = await composeRich(...args);
  if ('notFound' in composed) throw invalidField(composed.notFound, NOT_REFERRED);
  return composed;
}
