import { requireAccount } from '../../accounts/accounts.js';
import { digitsOfWritten } from '../../carriers/numbers/written-numbers.js';
import { toSmsOptOutSender } from '../../messages/send/checks/opted-out.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { OptOut, OptOutWord, PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';
import { addressesOfPerson, type OptOutPerson } from './addresses.js';
import { commonMeaning, MAX_WORD_LENGTH, normalizeKeyword, type OptOutMeaning, toKeyword } from './keywords.js';

/** A word that did not mean the one meant the other. */
const OTHER_MEANING: Readonly<Record<OptOutMeaning, OptOutMeaning>> = { stop: 'start', start: 'stop' };

type Tables = Pick<
  PrismaClient,
  'account' | 'automation' | 'channel' | 'contact' | 'mergedContact' | 'optOut' | 'optOutWord'
>;

/** A person and the sender that it wants no messages from, as operators name them. */
export interface OptOutRef extends OptOutPerson {
  accountId: string;
  kind: 'sms' | 'whatsapp';
  /** SMS: the sender ID; WhatsApp: the number of the channel. */
  sender: string;
}

/**
 * The opt-outs of an account, by sender and number; their senders are named as in OptOutRef.
 * @throws {AppError} NOT_FOUND for an unknown account
 */
export async function listOptOuts(prisma: Tables, accountId: string): Promise<OptOut[]> {
  await requireAccount(prisma, accountId);
  const [optOuts, channels] = await Promise.all([
    prisma.optOut.findMany({
      where: { accountId, isActive: true },
      orderBy: [{ kind: 'asc' }, { sender: 'asc' }, { phone: 'asc' }],
    }),
    prisma.channel.findMany({ where: { accountId, kind: 'whatsapp' }, select: { id: true, phoneNumber: true } }),
  ]);
  const numbers = new Map(channels.map(({ id, phoneNumber }) => [id, phoneNumber]));
  return optOuts.map((each) => ({ ...each, sender: numbers.get(each.sender) ?? each.sender }));
}

/**
 * Blocks a person for a sender, by every address that the contact has; once more changes nothing.
 * @returns whether it was not blocked before
 * @throws {AppError} INVALID_REQUEST for a malformed number or an empty sender, NOT_FOUND for an unknown account, contact or
 * WhatsApp channel
 */
export async function addOptOut(prisma: Tables, ref: OptOutRef & { at: Date }): Promise<boolean> {
  const { addresses, ...key } = await keysOf(prisma, ref);
  const decision = { keyword: null, isActive: true, decidedAt: ref.at };
  const rows = addresses.map((phone) => ({ ...key, phone, ...decision }));
  const made = await prisma.optOut.createMany({ data: rows, skipDuplicates: true });
  const blocked = { ...key, phone: { in: addresses }, isActive: false };
  const renewed = await prisma.optOut.updateMany({ where: blocked, data: decision });
  return made.count + renewed.count > 0;
}

/**
 * Lets a sender write to a person again. A STOP that was written before and arrives later does not block it.
 * @throws {AppError} as `addOptOut`; NOT_FOUND when the person has not opted out
 */
export async function removeOptOut(prisma: Tables, ref: OptOutRef & { at: Date }): Promise<true> {
  const { addresses, ...key } = await keysOf(prisma, ref);
  const { count } = await prisma.optOut.updateMany({
    where: { ...key, phone: { in: addresses }, isActive: true },
    data: { keyword: null, isActive: false, decidedAt: ref.at },
  });
  if (count === 0) throw new AppError('NOT_FOUND', `${shownPerson(ref)} has not opted out of ${ref.sender}`);
  return true;
}

/** A person as it was named. */
export function shownPerson({ phone, userId, contactId }: OptOutPerson): string {
  return phone ?? userId ?? `the contact ${contactId}`;
}

/** A person as the audit log names it: a number by its digits, however it was written, so that erasing finds it. */
export function auditedPerson({ phone, userId, contactId }: OptOutPerson): string {
  return (phone === undefined ? (userId ?? contactId) : (digitsOfWritten(phone) ?? phone)) ?? '';
}

async function keysOf(prisma: Tables, { accountId, kind, sender, ...person }: OptOutRef) {
  await requireAccount(prisma, accountId);
  const name = toSmsOptOutSender(sender);
  if (name === '') throw invalidField('sender', 'must not be empty');
  const ofSms = { accountId, kind, sender: name };
  if (kind === 'sms') {
    return { ...ofSms, addresses: await addressesOfPerson(prisma, { accountId, channelId: null }, person) };
  }
  const channel = await prisma.channel.findFirst({ where: { accountId, kind, phoneNumber: name, deletedAt: null } });
  if (!channel) throw new AppError('NOT_FOUND', `the account has no WhatsApp channel with the number ${sender}`);
  const addresses = await addressesOfPerson(prisma, { accountId, channelId: channel.id }, person);
  return { accountId, kind, sender: channel.id, addresses };
}

/**
 * The further words of an account, in alphabetical order.
 * @throws {AppError} NOT_FOUND for an unknown account
 */
export async function listOptOutWords(prisma: Tables, accountId: string): Promise<OptOutWord[]> {
  await requireAccount(prisma, accountId);
  return prisma.optOutWord.findMany({ where: { accountId }, orderBy: { word: 'asc' } });
}

/**
 * Gives an account a further word, or another meaning to one that it has. Of many who say the same at once one changes it.
 * @returns the word as texts are compared with it, and what it meant before; null where it was no word
 * @throws {AppError} INVALID_REQUEST for a text that is not a word, CONFLICT for one that every account has, or by which
 * an automation of the account begins, NOT_FOUND for an unknown account
 */
export async function setOptOutWord(
  prisma: Tables,
  { accountId, word: text, meaning }: { accountId: string; word: string; meaning: OptOutMeaning },
): Promise<{ word: string; was: OptOutMeaning | null }> {
  await requireAccount(prisma, accountId);
  const word = toKeyword(text);
  if (word === null) {
    throw invalidField('word', `must be 1 to ${MAX_WORD_LENGTH} characters beside punctuation and symbols`);
  }
  const common = commonMeaning(word);
  if (common) throw new AppError('CONFLICT', `"${word}" means ${common} to every account`);
  if (meaning === 'stop') await requireNoKeyword(prisma, accountId, word);
  const place = { accountId, word };
  const made = await prisma.optOutWord.createMany({ data: { ...place, meaning }, skipDuplicates: true });
  if (made.count > 0) return { word, was: null };
  const changed = await prisma.optOutWord.updateMany({
    where: { ...place, meaning: { not: meaning } },
    data: { meaning },
  });
  return { word, was: changed.count > 0 ? OTHER_MEANING[meaning] : meaning };
}

/** Whoever wrote the word would opt out, and no message could answer it: as in `requireHarmless` of automations. */
async function requireNoKeyword(prisma: Tables, accountId: string, word: string): Promise<void> {
  if ((await findOptOutWord(prisma, accountId, word)) === 'stop') return;
  const started = await prisma.automation.findMany({
    where: { accountId, keyword: { not: null }, channel: { deletedAt: null } },
    select: { name: true, keyword: true },
    orderBy: { id: 'asc' },
  });
  const taken = started.find(({ keyword }) => keyword !== null && normalizeKeyword(keyword) === word);
  if (!taken) return;
  const advice = 'Who opts out by it would get no answer: give the automation another keyword first.';
  throw new AppError('CONFLICT', `"${word}" is the keyword of the automation "${taken.name}". ${advice}`);
}

/** What a word of an account's own means; null where it has none such. */
export async function findOptOutWord(
  prisma: Pick<PrismaClient, 'optOutWord'>,
  accountId: string,
  text: string,
): Promise<OptOutMeaning | null> {
  const where = { accountId, word: normalizeKeyword(text) };
  const found = isUuid(accountId) ? await prisma.optOutWord.findFirst({ where }) : null;
  return found?.meaning ?? null;
}

/** What a text means that a contact of an account writes, by a word of every account or of its own; null where it means nothing. */
export async function meaningFor(
  prisma: Pick<PrismaClient, 'optOutWord'>,
  accountId: string,
  text: string,
): Promise<OptOutMeaning | null> {
  const word = toKeyword(text);
  return word === null ? null : (commonMeaning(word) ?? (await findOptOutWord(prisma, accountId, word)));
}

/** @throws {AppError} NOT_FOUND when the account has no such word */
export async function removeOptOutWord(prisma: Tables, accountId: string, text: string): Promise<void> {
  await requireAccount(prisma, accountId);
  const word = normalizeKeyword(text);
  const { count } = await prisma.optOutWord.deleteMany({ where: { accountId, word } });
  if (count === 0) throw new AppError('NOT_FOUND', `the account has no word "${word}" of its own`);
}
