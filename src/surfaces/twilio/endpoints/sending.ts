import type { Static } from '@sinclair/typebox';
import { isUserId } from '../../../carriers/numbers/user-ids.js';
import { extractDigits } from '../../../carriers/numbers/written-numbers.js';
import { findSenderChannel, type SenderChannel } from '../../../features/channels/sender-channel.js';
import { findTemplateById } from '../../../features/templates/find-by-id.js';
import { componentsFromVariables, type TemplateVariables } from '../../../messages/compose/template/from-variables.js';
import type { SendV2Body } from '../../../messages/compose/v2-plan.js';
import { isBlank } from '../../../platform/errors/field-problems.js';
import { idOfSid } from '../../../platform/text/sids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { badParameter } from '../errors.js';
import type { CreateBody } from './message-schemas.js';

export type SendingOptions = OptionsOf<typeof findSenderChannel | typeof findTemplateById>;
type Form = Static<typeof CreateBody>;

const WHATSAPP = /^whatsapp:/i;
/** Seconds; Twilio's bounds. */
const MAX_VALIDITY = 36_000;
const NUMBER = /^\+[\s().-]*\d[\d\s().-]*$/;
/** What is left of a number without its digits, which is neither a number nor the name of anybody. */
const NOTHING = /^[+\s().-]*$/;

/** A send as `/v2/send` takes it, and the channel that it is made to leave from. */
export interface TranslatedSend {
  body: SendV2Body;
  /** That of MessagingServiceSid or of a WhatsApp `From`. */
  channel: SenderChannel | null;
}

/**
 * Translates the parameters of a send. One that is empty counts as absent: many programs write out all that they know.
 * @throws {TwilioError} with Twilio's code for the first parameter that breaks a rule
 */
export async function translateSend(options: SendingOptions, accountId: string, given: Form): Promise<TranslatedSend> {
  const form = withoutEmpty(given);
  const { To: to = '', Body: text = '' } = form;
  if (isBlank(to)) throw badParameter(21604, 'To', 'is required');
  const isWhatsapp = WHATSAPP.test(to);
  const { from, channel } = await senderOf(options, accountId, form, isWhatsapp);
  const content = isWhatsapp && channel ? await whatsappContent(options, accountId, channel, form) : smsContent(form);
  const isEmpty = Object.keys(content).length === 0 && isBlank(text);
  if (isEmpty) throw badParameter(21602, 'Body', 'is required where there is neither MediaUrl nor ContentSid');
  return {
    channel,
    body: {
      ...recipientOf(to.trim().replace(WHATSAPP, ''), isWhatsapp),
      from,
      channel: isWhatsapp ? 'whatsapp' : 'sms',
      ...(!('type' in content) && text !== '' && { message: text }),
      ...content,
      ...timesOf(form),
    },
  };
}

function withoutEmpty({ MediaUrl: files = [], ...texts }: Form): Form {
  const written = Object.entries(texts).filter(([, text]) => text !== '');
  return { ...Object.fromEntries(written), MediaUrl: files.filter((url) => url !== '') };
}

/** A number as people write it, in digits; what is none is left as it is, and refused by the rules of every send. */
function recipientOf(to: string, isWhatsapp: boolean): Pick<SendV2Body, 'to' | 'userId'> {
  if (isWhatsapp && isUserId(to)) return { userId: to };
  return { to: extractDigits(to) ?? to };
}

async function senderOf(
  options: SendingOptions,
  accountId: string,
  { From: given = '', MessagingServiceSid: service = '' }: Form,
  isWhatsapp: boolean,
): Promise<{ from: string; channel: SenderChannel | null }> {
  const bare = given.trim().replace(WHATSAPP, '');
  const isNothing = isBlank(bare) || NOTHING.test(bare);
  if (isNothing && service === '') throw badParameter(21603, 'From', 'is required without MessagingServiceSid');
  const number = NUMBER.test(bare) ? bare.replace(/\D/g, '') : null;
  const isSame = isBlank(given) || WHATSAPP.test(given) === isWhatsapp;
  if (!isSame) throw badParameter(21910, 'From', 'must be of WhatsApp where To is, and of SMS where To is');
  if (service !== '') {
    const id = idOfSid(service, 'MG');
    const channel = id && (await findSenderChannel(options, accountId, { id }));
    if (!channel) throw badParameter(21701, 'MessagingServiceSid', 'names no channel of the account');
    if ((channel.kind === 'whatsapp') !== isWhatsapp) {
      throw badParameter(21910, 'MessagingServiceSid', `names a channel of ${channel.kind}, and To is of another kind`);
    }
    if (!isBlank(given) && (number ?? bare) !== channel.phoneNumber) {
      throw badParameter(21606, 'From', 'must be the number of the channel that MessagingServiceSid names');
    }
    return { from: channel.phoneNumber, channel: requireActive(channel, 'MessagingServiceSid') };
  }
  if (!isWhatsapp) {
    return { from: number ?? bare, channel: null };
  }
  const phoneNumber = number ?? (/^\d+$/.test(bare) ? bare : null);
  const channel = phoneNumber && (await findSenderChannel(options, accountId, { kind: 'whatsapp', phoneNumber }));
  if (!channel) throw badParameter(63007, 'From', 'must be the number of a WhatsApp channel of the account');
  return { from: channel.phoneNumber, channel: requireActive(channel, 'From') };
}

function requireActive(channel: SenderChannel, field: string): SenderChannel {
  if (!channel.isActive) throw badParameter(21606, field, 'names a channel that is not active');
  return channel;
}

type Content = Partial<SendV2Body>;

function smsContent({ MediaUrl: files = [], ContentSid: template, ContentVariables: variables }: Form): Content {
  if (files.length > 0) throw badParameter(21612, 'MediaUrl', 'goes by WhatsApp alone: SMS carry no files');
  if (template !== undefined) throw badParameter(21655, 'ContentSid', 'names a template, which goes by WhatsApp alone');
  if (variables !== undefined) throw badParameter(21654, 'ContentSid', 'is required where ContentVariables is sent');
  return {};
}

async function whatsappContent(
  options: SendingOptions,
  accountId: string,
  channel: SenderChannel,
  { ContentSid: sid, ContentVariables: variables, MediaUrl: files = [], Body: text = '' }: Form,
): Promise<Content> {
  if (sid === undefined) {
    if (variables !== undefined) throw badParameter(21654, 'ContentSid', 'is required where ContentVariables is sent');
    const [file, ...more] = files;
    if (more.length > 0) throw badParameter(21623, 'MediaUrl', 'must be one: a message of WhatsApp shows one file');
    return file === undefined ? {} : mediaContent(file, text);
  }
  if (files.length > 0) throw badParameter(21656, 'MediaUrl', 'must not be sent with ContentSid: a file is a variable');
  const id = idOfSid(sid, 'HX');
  const template = id && (await findTemplateById(options, { accountId, channelId: channel.id }, id));
  if (!template) throw badParameter(21655, 'ContentSid', 'names no template of the channel');
  return {
    template_id: template.id,
    template_data: {
      name: template.name,
      language: { code: template.language },
      components: componentsFromVariables(template.components, variablesOf(variables)),
    },
  };
}

const VARIABLES_RULE = 'must be a JSON object whose values are texts that are not empty, such as {"1":"A-1001"}';

function variablesOf(json: string | undefined): TemplateVariables {
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
  // With names of the object's own alone.
  return Object.assign(Object.create(null), parsed);
}

/** By the end of a file's name; what is not known is a document, which may be anything. */
const TYPES: Readonly<Record<string, 'image' | 'video' | 'audio'>> = {
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

function mediaContent(url: string, caption: string): Content {
  if (!/^https?:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url)) {
    throw badParameter(21620, 'MediaUrl', 'must be an http or https URL');
  }
  const ending = /\.(\w{1,5})$/.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? '';
  const type = Object.hasOwn(TYPES, ending) ? TYPES[ending] : 'document';
  const hasCaption = !isBlank(caption);
  if (type === 'video') return { type, video: { link: url, ...(hasCaption && { caption }) } };
  if (type === 'audio') {
    if (hasCaption) throw badParameter(21620, 'MediaUrl', 'is a sound, which has no caption: send Body by itself');
    return { type, audio: { link: url } };
  }
  return { media_url: url, template_data: { type: type ?? 'document' } };
}

function timesOf({ ValidityPeriod: validity, ScheduleType: schedule, SendAt: sendAt }: Form): Content {
  const seconds = validity === undefined ? undefined : Number(validity);
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_VALIDITY)) {
    throw badParameter(90007, 'ValidityPeriod', `must be an integer from 1 to ${MAX_VALIDITY}`);
  }
  if (schedule !== undefined && schedule !== 'fixed') throw badParameter(35126, 'ScheduleType', 'must be fixed');
  if (schedule !== undefined && !sendAt) throw badParameter(35111, 'SendAt', 'is required where ScheduleType is fixed');
  if (sendAt && schedule === undefined) throw badParameter(35126, 'ScheduleType', 'must be fixed where SendAt is sent');
  return {
    ...(seconds !== undefined && { validity_period: seconds }),
    ...(sendAt && { scheduled_at: sendAt }),
  };
}
