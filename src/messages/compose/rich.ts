import { MEDIA_TYPES, type MediaContent, type MessageContent, OBJECT_TYPES } from '../../carriers/content.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import { isBlank, isLongerThan } from '../../platform/errors/field-problems.js';
import { chooseDocumentName, withDocumentNames } from './document-filename.js';
import { checkInteractive, type Interactive } from './interactive.js';

export const RICH_TYPES = ['text', ...MEDIA_TYPES, ...OBJECT_TYPES] as const;
export type RichType = (typeof RICH_TYPES)[number];

export interface MediaInput {
  link?: string;
  id?: string;
  caption?: string;
  filename?: string;
}

export interface ContactInput {
  name: { formatted_name: string; [part: string]: unknown };
  [more: string]: unknown;
}

/** Validated by the schema. */
export interface RichInput extends Partial<Record<(typeof MEDIA_TYPES)[number], MediaInput>> {
  type: RichType;
  text?: { body: string; preview_url?: boolean };
  interactive?: Interactive;
  reaction?: { message_id: string; emoji: string };
  location?: { latitude: number; longitude: number; name?: string; address?: string };
  contacts?: ContactInput[];
  context?: { message_id: string };
}

export interface RichMessage {
  body: string;
  content: MessageContent;
}

/** Returns the carrier's ID of a message, or null if the channel has no such message or no carrier has accepted it. */
export type FindReferredMessage = (messageId: string) => Promise<string | null> | string | null;

export const NOT_REFERRED = 'must be the ID of a message of this channel that the carrier has accepted';

export function checkRich(input: RichInput): FieldProblem[] {
  const { type } = input;
  if (input[type] === undefined) return [{ field: type, rule: `is required where type is ${type}`, kind: 'missing' }];
  const problems: FieldProblem[] = RICH_TYPES.filter((name) => name !== type && input[name] !== undefined).map(
    (field) => ({ field, rule: `must not be sent where type is ${type}` }),
  );
  if (input.interactive && type === 'interactive') problems.push(...checkInteractive(input.interactive));
  const media = isMedia(type) ? input[type] : undefined;
  if (media && (media.link === undefined) === (media.id === undefined)) {
    problems.push({ field: type, rule: 'must have either link or id', kind: 'missing' });
  }
  if (type === 'text' && isBlank(input.text?.body ?? '')) {
    problems.push({ field: 'text.body', rule: 'must not consist only of spaces or invisible characters' });
  }
  if (type === 'reaction' && !isEmojiOrNone(input.reaction?.emoji ?? '')) {
    problems.push({ field: 'reaction.emoji', rule: 'must be one emoji, or empty to remove the reaction' });
  }
  if (type === 'reaction' && input.context) {
    problems.push({ field: 'context', rule: 'must not be sent where type is reaction' });
  }
  input.contacts?.forEach(({ name }, index) => {
    if (Object.keys(name).some((part) => part !== 'formatted_name' && NAME_PARTS.has(part))) return;
    const rule = `must have one of ${[...NAME_PARTS].join(', ')} besides formatted_name`;
    problems.push({ field: `contacts[${index}].name`, rule });
  });
  return problems;
}

export async function composeRich(
  input: RichInput,
  find: FindReferredMessage,
): Promise<RichMessage | { notFound: 'context.message_id' | 'reaction.message_id' }> {
  const quotes = input.context && (await find(input.context.message_id));
  if (quotes === null) return { notFound: 'context.message_id' };
  const { type, reaction } = input;
  const content = { ...(quotes !== undefined && { quotes }) };
  if (type === 'reaction' && reaction) {
    const referred = await find(reaction.message_id);
    if (referred === null) return { notFound: 'reaction.message_id' };
    const object = { ...reaction, message_id: referred };
    return { body: reaction.emoji, content: { ...content, type, object } };
  }
  return { body: toReadableText(input), content: { ...content, ...toContent(input) } };
}

function toContent(input: RichInput): MessageContent {
  const { type } = input;
  if (type === 'text') {
    const { body: _body, preview_url: previewUrl = false, ...more } = input.text ?? { body: '' };
    return { type, previewUrl, ...withUnknownFields(more) };
  }
  if (!isMedia(type)) return { type, object: withDocumentNames(input[type] as object) };
  const { link: url, id: mediaId, caption: _caption, filename, ...more } = input[type] ?? {};
  const source = { ...(url !== undefined && { url }), ...(mediaId !== undefined && { mediaId }) };
  const media: MediaContent = { type, ...source, ...withUnknownFields(more) };
  // The name and type of an uploaded file are looked up when the message is submitted to the carrier.
  if (type === 'document')
    media.filename = url === undefined ? filename || undefined : chooseDocumentName(filename, url);
  return media;
}

/** Passes unknown fields, such as `voice` of an audio message, on to Meta. */
function withUnknownFields(more: Readonly<Record<string, unknown>>): Pick<MediaContent, 'more'> {
  return Object.keys(more).length > 0 ? { more } : {};
}

function toReadableText({ type, text, interactive, location, contacts, ...media }: RichInput): string {
  if (type === 'text') return text?.body ?? '';
  if (type === 'interactive') return interactive?.body?.text ?? '';
  if (type === 'location') return [location?.name, location?.address].filter(Boolean).join(', ');
  if (type === 'contacts') return (contacts ?? []).map(({ name }) => name.formatted_name).join(', ');
  const caption = (isMedia(type) && media[type]?.caption) || '';
  return isBlank(caption) ? '' : caption;
}

const isMedia = (type: RichType): type is (typeof MEDIA_TYPES)[number] =>
  (MEDIA_TYPES as readonly string[]).includes(type);

/** Meta requires at least one of these name fields besides `formatted_name`. */
const NAME_PARTS: ReadonlySet<string> = new Set(['first_name', 'last_name', 'middle_name', 'suffix', 'prefix']);

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function isEmojiOrNone(text: string): boolean {
  if (text === '') return true;
  return (
    !isLongerThan(text, 32) &&
    [...graphemes.segment(text)].length === 1 &&
    // Digits, # and * have the Emoji property too, but are shown as emoji only in a keycap.
    /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u.test(text)
  );
}
