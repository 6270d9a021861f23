import { isDeepStrictEqual } from 'node:util';
import { invalidFields, isBlank, isLongerThan } from '../../platform/errors/field-problems.js';
import type { Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { KEYWORD_MEANINGS, readKeyword } from '../opt-outs/message-keyword.js';
import { findMeaning } from '../opt-outs/opt-outs.js';
import {
  type AccountReplies,
  type ChannelReplies,
  type ReplyTexts,
  readAccountReplies,
  readChannelReplies,
} from './settings.js';
import { REPLY_LANGUAGES } from './texts.js';

/** Like the app name of sign-in codes, so that the default texts have few parts. */
const MAX_NAME_LENGTH = 30;
const MAX_CONTACT_LENGTH = 60;
/** About three parts of an SMS. */
const MAX_TEXT_LENGTH = 480;

type Tables = Pick<PrismaClient, 'account' | 'channel' | 'optOutWord'>;

/** Absent fields stay as they are. A text that is null is replaced by the default text. */
export type AccountRepliesChange = Partial<Omit<AccountReplies, 'texts'>> & { texts?: TextsChange };
export type ChannelRepliesChange = Partial<Omit<ChannelReplies, 'texts'>> & { texts?: TextsChange };
type TextsChange = Partial<Record<keyof ReplyTexts, string | null>>;

interface Changed<T> {
  before: T;
  after: T;
}

/**
 * The caller must have locked the account.
 * @throws {AppError} INVALID_REQUEST
 */
export async function changeAccountReplies(
  prisma: Tables,
  accountId: string,
  change: AccountRepliesChange,
): Promise<Changed<AccountReplies>> {
  const row = await prisma.account.findUniqueOrThrow({ where: { id: accountId }, select: { keywordReplies: true } });
  const before = readAccountReplies(row.keywordReplies);
  const after = applyChange(before, change);
  await check(prisma, accountId, after);
  if (after.isOn && after.contact === null && KEYWORD_MEANINGS.some((meaning) => after.texts[meaning] === undefined)) {
    const rule =
      'is required while replies are on, unless all three texts are your own: the texts must say how to get help';
    throw invalidFields([{ field: 'contact', rule }]);
  }
  if (isDeepStrictEqual(before, after)) return { before, after };
  const keywordReplies = after as unknown as Prisma.InputJsonObject;
  await prisma.account.update({ where: { id: accountId }, data: { keywordReplies } });
  return { before, after };
}

/**
 * The caller must have locked the channel.
 * @throws {AppError} INVALID_REQUEST
 */
export async function changeChannelReplies(
  prisma: Tables,
  { id, accountId }: { id: string; accountId: string },
  change: ChannelRepliesChange,
): Promise<Changed<ChannelReplies>> {
  const row = await prisma.channel.findUniqueOrThrow({ where: { id }, select: { keywordReplies: true } });
  const before = readChannelReplies(row.keywordReplies);
  const after = applyChange(before, change);
  await check(prisma, accountId, after);
  if (isDeepStrictEqual(before, after)) return { before, after };
  const keywordReplies = after as unknown as Prisma.InputJsonObject;
  await prisma.channel.update({ where: { id }, data: { keywordReplies } });
  return { before, after };
}

function applyChange<T extends { texts: ReplyTexts }>(
  before: T,
  change: Partial<Omit<T, 'texts'>> & { texts?: TextsChange },
): T {
  const { texts: changedTexts = {}, ...fields } = change;
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const texts = Object.entries({ ...before.texts, ...changedTexts }).filter(([, text]) => typeof text === 'string');
  return { ...before, ...given, texts: Object.fromEntries(texts) };
}

async function check(prisma: Tables, accountId: string, settings: AccountReplies | ChannelReplies): Promise<void> {
  const { language, name, contact, texts } = settings;
  const problems = [
    ...(language !== null && !REPLY_LANGUAGES.includes(language)
      ? [{ field: 'language', rule: `must be one of ${REPLY_LANGUAGES.join(', ')}` }]
      : []),
    ...findTextProblem('name', name, MAX_NAME_LENGTH),
    ...findTextProblem('contact', contact, MAX_CONTACT_LENGTH),
    ...KEYWORD_MEANINGS.flatMap((meaning) =>
      findTextProblem(`texts.${meaning}`, texts[meaning] ?? null, MAX_TEXT_LENGTH),
    ),
  ];
  for (const meaning of KEYWORD_MEANINGS) {
    const text = texts[meaning] ?? '';
    const isKeyword =
      readKeyword({ kind: 'sms', type: 'text', body: text })?.isHelp || (await findMeaning(prisma, accountId, text));
    if (isKeyword) {
      const rule = 'must not be a keyword itself, because two servers would reply to each other without end';
      problems.push({ field: `texts.${meaning}`, rule });
    }
  }
  if (problems.length > 0) throw invalidFields(problems);
}

function findTextProblem(field: string, text: string | null, limit: number) {
  if (text === null) return [];
  const isStorable = text.isWellFormed() && !text.includes('\0');
  if (isStorable && !isBlank(text) && !isLongerThan(text, limit)) return [];
  return [{ field, rule: `must be a text of 1 to ${limit} characters, with at least one visible character` }];
}
