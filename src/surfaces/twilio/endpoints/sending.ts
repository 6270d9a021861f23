import type { Static } from '@sinclair/typebox';
import { isUserId } from '../../../carriers/numbers/user-ids.js';
import { extractDigits } from '../../../carriers/numbers/written-numbers.js';
import { findSenderChannel, type SenderChannel } from '../../../features/channels/sender-channel.js';
import { findTemplateById } from '../../../features/templates/find-by-id.js';
import { componentsFromVariables, type TemplateVariables } from '../../../messages/compose/template/from-variables.js';
import type { SendV2Body } from '../../../messages/compose/v2-plan.js';
import { isBlank } from '../../../platform/errors/field-problems.js';
import { parseSid } from '../../../platform/text/sids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { badParameter } from '../errors.js';
import type { CreateBody } from './message-schemas.js';

export type SendingOptions = UseCaseOptions<typeof findSenderChannel | typeof findTemplateById>;
type Form = Static<typeof CreateBody>;

const WHATSAPP = /^whatsapp:/i;
/** Twilio's maximum, in seconds. */
const MAX_VALIDITY = 36_000;
const NUMBER = /^\+[\s().-]*\d[\d\s().-]*$/;
/** Matches a text of only phone number punctuation, which is neither a number nor a sender ID. */
const PUNCTUATION_ONLY = /^[+\s().-]*$/;

export interface TranslatedSend {
  body: SendV2Body;
  /** Channel that MessagingServiceSid or a WhatsApp `From` refers to. */
  channel: SenderChannel | null;
}

/**
 * An empty parameter counts as absent, because many programs send all parameters.
 * @throws {TwilioError} with Twilio's code for the first invalid parameter
 */
export async function translateSend(options: SendingOptions, accountId: string, fields: Form): Promise<TranslatedSend> {
  const form = dropEmptyFields(fields);
  const { To: to = '', Body: text = '' } = form;
  if (isBlank(to)) throw badParameter(21604, 'To', 'is required');
  const isWhatsapp = WHATSAPP.test(to);
  const { from, channel } = await findSender(options, accountId, form, isWhatsapp);
  const content =
    isWhatsapp && channel ? await toWhatsappContent(options, accountId, channel, form) : toSmsContent(form);
  const isEmpty = Object.keys(content).length === 0 && isBlank(text);
  if (isEmpty) throw badParameter(21602, 'Body', 'is required without MediaUrl and ContentSid');
  return {
    channel,
    body: {
      ...readRecipient(to.trim().replace(WHATSAPP, ''), isWhatsapp),
      from,
      channel: isWhatsapp ? 'whatsapp' : 'sms',
      ...(!('type' in content) && text !== '' && { message: text }),
      ...content,
      ...readTimes(form),
    },
  };
}

function dropEmptyFields({ MediaUrl: files = [], ...texts }: Form): Form {
  const presentTexts = Object.entries(texts).filter(([, text]) => text !== '');
  return { ...Object.fromEntries(presentTexts), MediaUrl: files.filter((url) => url !== '') };
}

/** A recipient that is not a number is passed on unchanged, and is refused when the send is composed. */
function readRecipient(to: string, isWhatsapp: boolean): Pick<SendV2Body, 'to' | 'userId'> {
  if (isWhatsapp && isUserId(to)) return { userId: to };
  return { to: extractDigits(to) ?? to };
}

async function findSender(
  options: SendingOptions,
  accountId: string,
  { From: sender = '', MessagingServiceSid: service = '' }: Form,
  isWhatsapp: boolean,
): Promise<{ from: string; channel: SenderChannel | null }> {
  const address = sender.trim().replace(WHATSAPP, '');
  const isMissing = isBlank(address) || PUNCTUATION_ONLY.test(address);
  if (isMissing && service === '') throw badParameter(21603, 'From', 'is required without MessagingServiceSid');
  const number = NUMBER.test(address) ? address.replace(/\D/g, '') : null;
  const isSameChannel = isBlank(sender) || WHATSAPP.test(sender) === isWhatsapp;
  if (!isSameChannel) throw badParameter(21910, 'From', 'must be of the same kind as To: both WhatsApp or both SMS');
  if (service !== '') {
    const id = parseSid(service, 'MG');
    const channel = id && (await findSenderChannel(options, accountId, { id }));
    if (!channel) throw badParameter(21701, 'MessagingServiceSid', 'must name a channel of the account');
    if ((channel.kind === 'whatsapp') !== isWhatsapp) {
      throw badParameter(
        21910,
        'MessagingServiceSid',
        `names a channel of kind ${channel.kind}, but To is of another kind`,
      );
    }
    if (!isBlank(sender) && (number ?? address) !== channel.phoneNumber) {
      throw badParameter(21606, 'From', 'must be the number of the channel that MessagingServiceSid names');
    }
    return { from: channel.phoneNumber, channel: requireActive(channel, 'MessagingServiceSid') };
  }
  if (!isWhatsapp) {
    return { from: number ?? address, channel: null };
  }
  const phoneNumber = number ?? (/^\d+$/.test(address) ? address : null);
  const channel = phoneNumber && (await findSenderChannel(options, accountId, { kind: 'whatsapp', phoneNumber }));
  if (!channel) throw badParameter(63007, 'From', 'must be the number of a WhatsApp channel of the account');
  return { from: channel.phoneNumber, channel: requireActive(channel, 'From') };
}

function requireActive(channel: SenderChannel, field: string): SenderChannel {
  if (!channel.isActive) throw badParameter(21606, field, 'names a channel that is not active');
  return channel;
}

type Content = Partial<SendV2Body>;

function toSmsContent({ MediaUrl: files = [], ContentSid: template, ContentVariables: variables }: Form): Content {
  if (files.length > 0) throw badParameter(21612, 'MediaUrl', 'is only possible with WhatsApp: SMS carry no files');
  if (template !== undefined) throw badParameter(21655, 'ContentSid', 'names a template, which only WhatsApp supports');
  if (variables !== undefined) throw badParameter(21654, 'ContentSid', 'is required if ContentVariables is sent');
  return {};
}

async function toWhatsappContent(
  options: SendingOptions,
  accountId: string,
  channel: SenderChannel,
  { ContentSid: sid, ContentVariables: variables, MediaUrl: files = [], Body: text = '' }: Form,
): Promise<Content> {
  if (sid === undefined) {
    if (variables !== undefined) throw badParameter(21654, 'ContentSid', 'is required if ContentVariables is sent');
    const [file, ...more] = files;
    if (more.length > 0) throw badParameter(21623, 'MediaUrl', 'must be a single file: WhatsApp shows one per message');
    return file === undefined ? {} : toMediaContent(file, text);
  }
  if (files.length > 0)
    throw badParameter(21656, 'MediaUrl', 'must not be sent with ContentSid: use a variable for the file');
  const id = parseSid(sid, 'HX');
  const template = id && (await findTemplateById(options, { accountId, channelId: channel.id }, id));
  if (!template) throw badParameter(21655, 'ContentSid', 'must name a template of the channel');
  return {
    template_id: template.id,
    template_data: {
      name: template.name,
      language: { code: template.language },
      components: componentsFromVariables(template.components, parseVariables(variables)),
    },
  };
}

const VARIABLES_RULE = 'must be a JSON object whose values are non-empty strings, such as {"1":"A-1001"}';

function parseVariables(json: string | undefined): TemplateVariables {
  if (json === undefined) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw badParameter(21656, 'ContentVariables', VARIABLES_RULE);
  }
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  const values = isObject ? Object.values(parsed as object) : [''];
  if (values.some((value) => typeof value !== 'string' || isBlank(value))) {
    throw badParameter(21656, 'ContentVariables', VARIABLES_RULE);
  }
  // The object has no prototype, so that inherited names such as `toString` are not variables.
  return Object.assign(Object.create(null), parsed);
}

/** Media types by file extension; files with other extensions are sent as documents. */
const MEDIA_TYPES: Readonly<Record<string, 'image' | 'video' | 'audio'>> = {
  jpg: 'image',
  jpeg: 'image',
  png: 'image',
  mp4: 'video',
  '3gp': 'video',
  aac: 'audio',
  amr: 'audio',
  m4a: 'audio',
  mp3: 'audio',
  ogg: 'audio',
  opus: 'audio',
};

function toMediaContent(url: string, caption: string): Content {
  if (!/^https?:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url)) {
    throw badParameter(21620, 'MediaUrl', 'must be an http or https URL');
  }
  const extension = /\.(\w{1,5})$/.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? '';
  const type = Object.hasOwn(MEDIA_TYPES, extension) ? MEDIA_TYPES[extension] : 'document';
  const hasCaption = !isBlank(caption);
  if (type === 'video') return { type, video: { link: url, ...(hasCaption && { caption }) } };
  if (type === 'audio') {
    if (hasCaption)
      throw badParameter(21620, 'MediaUrl', 'is an audio file, which has no caption: send Body separately');
    return { type, audio: { link: url } };
  }
  return { media_url: url, template_data: { type: type ?? 'document' } };
}

function readTimes({ ValidityPeriod: validity, ScheduleType: schedule, SendAt: sendAt }: Form): Content {
  const seconds = validity === undefined ? undefined : Number(validity);
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_VALIDITY)) {
    throw badParameter(90007, 'ValidityPeriod', `must be an integer from 1 to ${MAX_VALIDITY}`);
  }
  if (schedule !== undefined && schedule !== 'fixed') throw badParameter(35126, 'ScheduleType', 'must be fixed');
  if (schedule !== undefined && !sendAt) throw badParameter(35111, 'SendAt', 'is required if ScheduleType is fixed');
  if (sendAt && schedule === undefined) throw badParameter(35126, 'ScheduleType', 'must be fixed if SendAt is sent');
  return {
    ...(seconds !== undefined && { validity_period: seconds }),
    ...(sendAt && { scheduled_at: sendAt }),
  };
}
