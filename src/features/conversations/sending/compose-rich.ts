import { decidePurpose, type Purpose } from '../../../messages/compose/purpose.js';
import {
  checkRich,
  composeRich,
  NOT_REFERRED,
  type RichInput,
  type RichMessage,
} from '../../../messages/compose/rich.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { invalidFields } from '../../../platform/errors/field-problems.js';
import { requireWhatsapp } from '../../channels/call-carrier.js';
import { findReferencedMessage } from '../../channels/referenced-message-store.js';
import { requireMedia } from '../../media/require-media.js';
import { createPartyLookup, type SendTarget } from '../parties.js';
import {
  type ChannelSender,
  type ReplyOptions,
  requireReachable,
  type SendOptions,
  toChannelRequest,
} from './compose.js';

/**
 * @throws {AppError} INVALID_REQUEST naming every invalid field, FORBIDDEN if the channel is inactive or not WhatsApp,
 * WINDOW_EXPIRED as for a reply, or any error of `requireMedia`
 */
export async function composeRichReply(
  options: ReplyOptions,
  sender: ChannelSender,
  { target, input, purpose }: { target: SendTarget; input: RichInput; purpose?: Purpose },
  sendOptions?: SendOptions,
): Promise<SendRequest> {
  requireWhatsapp(sender.channel);
  requireReachable(options, sender, target);
  const problems = checkRich(input);
  if (problems.length > 0) throw invalidFields(problems);
  const decidedPurpose = decidePurpose(purpose, null);
  const { address, party } = await createPartyLookup(options, sender).requireOpenWindow(target);
  const message = await composeOrRefuse(input, (id) =>
    findReferencedMessage(options, { accountId: sender.account.id, channelId: sender.channel.id }, id),
  );
  await requireMedia(options, sender.channel.id, message.content);
  return toChannelRequest(
    sender,
    { ...message, purpose: decidedPurpose },
    [{ digits: address, plus: false, ...party }],
    sendOptions,
  );
}

async function composeOrRefuse(...args: Parameters<typeof composeRich>): Promise<RichMessage> {
  const composed = await composeRich(...args);
  if ('notFound' in composed) throw invalidField(composed.notFound, NOT_REFERRED);
  return composed;
}
