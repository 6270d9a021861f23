import { requireAccount } from '../../accounts/accounts.js';
import { extractDigits } from '../../carriers/numbers/written-numbers.js';
import { toSmsOptOutSender } from '../../messages/send/checks/opted-out.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { OptOut, OptOutWord, PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';
import { listAddressesOfPerson, type OptOutPerson } from './addresses.js';
import { getCommonMeaning, MAX_WORD_LENGTH, normalizeKeyword, type OptOutMeaning, toKeyword } from './keywords.js';

const OTHER_MEANING: Readonly<Record<OptOutMeaning, OptOutMeaning>> = { stop: 'start', start: 'stop' };

type Tables = Pick<
  PrismaClient,
  'account' | 'automation' | 'channel' | 'contact' | 'mergedContact' | 'optOut' | 'optOutWord'
>;

export interface OptOutRef extends OptOutPerson {
  accountId: string;
  kind: 'sms' | 'whatsapp';
  /** The sender ID for SMS, or the channel's number for WhatsApp. */
  sender: string;
}

/** @throws {AppError} NOT_FOUND */
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
 * Opts out all addresses of the person's contact. Returns false if nothing changed.
 * @throws {AppError} INVALID_REQUEST for a malformed number or an empty sender; NOT_FOUND for an unknown account,
 * contact or WhatsApp channel
 */
export async function addOptOut(prisma: Tables, ref: OptOutRef & { at: Date }): Promise<boolean> {
  const { addresses, ...key } = await resolveRef(prisma, ref);
  const decision = { keyword: null, isActive: true, marketingOnly: false, decidedAt: ref.at };
  const rows = addresses.map((phone) => ({ ...key, phone, ...decision }));
  const inserted = await prisma.optOut.createMany({ data: rows, skipDuplicates: true });
  const weaker = { ...key, phone: { in: addresses }, OR: [{ isActive: false }, { marketingOnly: true }] };
  const renewed = await prisma.optOut.updateMany({ where: weaker, data: decision });
  return inserted.count + renewed.count > 0;
}

/**
 * A STOP that was sent earlier but arrives after the removal has no effect.
 * @throws {AppError} NOT_FOUND if the person has not opted out; otherwise the errors of `addOptOut`
 */
export async function removeOptOut(prisma: Tables, ref: OptOutRef & { at: Date }): Promise<true> {
  const { addresses, ...key } = await resolveRef(prisma, ref);
  const { count } = await prisma.optOut.updateMany({
    where: { ...key, phone: { in: addresses }, isActive: true },
    data: { keyword: null, isActive: false, decidedAt: ref.at },
  });
  if (count === 0) throw new AppError('NOT_FOUND', `${describePerson(ref)} has not opted out of ${ref.sender}`);
  return true;
}

export function describePerson({ phone, userId, contactId }: OptOutPerson): string {
  return phone ?? userId ?? `the contact ${contactId}`;
}

/** Writes numbers as digits, so that `heliograph erase` finds them in the audit log. */
export function toAuditSubject({ phone, userId, contactId }: OptOutPerson): string {
  return (phone === undefined ? (userId ?? contactId) : (extractDigits(phone) ?? phone)) ?? '';
}

/** Finds the sender and the addresses under which opt-outs are stored. @throws {AppError} as `addOptOut` */
export async function resolveRef(prisma: Tables, { accountId, kind, sender, ...person }: OptOutRef) {
  await requireAccount(prisma, accountId);
  const senderKey = toSmsOptOutSender(sender);
  if (senderKey === '') throw invalidField('sender', 'must not be empty');
  if (kind === 'sms') {
    const addresses = await listAddressesOfPerson(prisma, { accountId, channelId: null }, person);
    return { accountId, kind, sender: senderKey, addresses };
  }
  const channel = await prisma.channel.findFirst({
    where: { accountId, kind, phoneNumber: senderKey, deletedAt: null },
  });
  if (!channel) throw new AppError('NOT_FOUND', `the account has no WhatsApp channel with the number ${sender}`);
  const addresses = await listAddressesOfPerson(prisma, { accountId, channelId: channel.id }, person);
  return { accountId, kind, sender: channel.id, addresses };
}

/** @throws {AppError} NOT_FOUND */
export async function listOptOutWords(prisma: Tables, accountId: string): Promise<OptOutWord[]> {
  await requireAccount(prisma, accountId);
  return prisma.optOutWord.findMany({ where: { accountId }, orderBy: { word: 'asc' } });
}

/**
 * Returns the normalized word and its previous meaning, which is null for a new word.
 * @throws {AppError} CONFLICT for a keyword common to all accounts or the keyword of an automation; INVALID_REQUEST;
 * NOT_FOUND
 */
export async function setOptOutWord(
  prisma: Tables,
  { accountId, word: text, meaning }: { accountId: string; word: string; meaning: OptOutMeaning },
): Promise<{ word: string; was: OptOutMeaning | null }> {
  await requireAccount(prisma, accountId);
  const word = toKeyword(text);
  if (word === null) {
    throw invalidField('word', `must have 1 to ${MAX_WORD_LENGTH} characters, not counting punctuation and symbols`);
  }
  const common = getCommonMeaning(word);
  if (common) throw new AppError('CONFLICT', `"${word}" means ${common} in every account`);
  if (meaning === 'stop') await requireUnusedKeyword(prisma, accountId, word);
  const key = { accountId, word };
  const inserted = await prisma.optOutWord.createMany({ data: { ...key, meaning }, skipDuplicates: true });
  if (inserted.count > 0) return { word, was: null };
  const changed = await prisma.optOutWord.updateMany({
    where: { ...key, meaning: { not: meaning } },
    data: { meaning },
  });
  return { word, was: changed.count > 0 ? OTHER_MEANING[meaning] : meaning };
}

/** An automation's keyword would opt contacts out, so they could not receive the automation's answer. */
async function requireUnusedKeyword(prisma: Tables, accountId: string, word: string): Promise<void> {
  if ((await findOptOutWord(prisma, accountId, word)) === 'stop') return;
  const automations = await prisma.automation.findMany({
    where: { accountId, keyword: { not: null }, channel: { deletedAt: null } },
    select: { name: true, keyword: true },
    orderBy: { id: 'asc' },
  });
  const conflicting = automations.find(({ keyword }) => keyword !== null && normalizeKeyword(keyword) === word);
  if (!conflicting) return;
  const advice = 'Contacts who opt out with it would get no answer. Give the automation another keyword first.';
  throw new AppError('CONFLICT', `"${word}" is the keyword of the automation "${conflicting.name}". ${advice}`);
}

export async function findOptOutWord(
  prisma: Pick<PrismaClient, 'optOutWord'>,
  accountId: string,
  text: string,
): Promise<OptOutMeaning | null> {
  const where = { accountId, word: normalizeKeyword(text) };
  const row = isUuid(accountId) ? await prisma.optOutWord.findFirst({ where }) : null;
  return row?.meaning ?? null;
}

export async function findMeaning(
  prisma: Pick<PrismaClient, 'optOutWord'>,
  accountId: string,
  text: string,
): Promise<OptOutMeaning | null> {
  const word = toKeyword(text);
  return word === null ? null : (getCommonMeaning(word) ?? (await findOptOutWord(prisma, accountId, word)));
}

/** @throws {AppError} NOT_FOUND */
export async function removeOptOutWord(prisma: Tables, accountId: string, text: string): Promise<void> {
  await requireAccount(prisma, accountId);
  const word = normalizeKeyword(text);
  const { count } = await prisma.optOutWord.deleteMany({ where: { accountId, word } });
  if (count === 0) throw new AppError('NOT_FOUND', `the account has no keyword "${word}" of its own`);
}
