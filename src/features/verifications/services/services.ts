import type pg from 'pg';
import { KEY_ACCOUNT, type KeyAccount } from '../../../accounts/account-ref.js';
import { refusalOf } from '../../../accounts/account-settings.js';
import { requireAccount } from '../../../accounts/accounts.js';
import { isSenderId, SENDER_ID_RULE } from '../../../accounts/sender-ids.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { invalidFields } from '../../../platform/errors/field-problems.js';
import type {
  Prisma,
  PrismaClient,
  SignInService,
  SignInServiceType,
} from '../../../platform/generated/prisma/client.js';
import { isUuid, newId } from '../../../platform/ids.js';
import { DEFAULT_DIGITS, MAX_DIGITS, MIN_DIGITS } from '../limits.js';
import { APP_NAME, APP_NAME_RULE, LOCALE, LOCALE_RULE, MAX_APP_NAME, MAX_LOCALE } from '../texts.js';
import { isHook, kept, secretFor, shownSecret } from './proofs.js';

type Tables = Pick<PrismaClient, 'account' | 'signInService'>;

/** Where services and their codes are. */
export interface ServiceStore {
  prisma: PrismaClient;
  pool: pg.Pool;
}

/** Who asks for codes, as it was set up. */
export type Service = SignInService;

export interface NewService {
  accountId: string;
  type: SignInServiceType;
  appName: string;
  /** Sender ID of SMS. */
  sender: string;
  locale?: string | undefined;
  digits?: number | undefined;
  /** WhatsApp first, by a channel's number and an authentication template; both or neither. */
  whatsappFrom?: string | undefined;
  template?: string | undefined;
  templateLanguage?: string | undefined;
  /** Of a hook: the one that its login system made; else one is made, where the login system takes one. */
  secret?: string | undefined;
}

/** A service, and the secret of a hook as its login system wants it, which is told this once. */
export interface MadeService {
  service: SignInService;
  secret: string | null;
}

/**
 * Sets up who asks for sign-in codes by requests that do not say how they leave.
 * @throws {AppError} INVALID_REQUEST for fields that break a rule, NOT_FOUND for an unknown account
 */
export async function createService(prisma: Tables, input: NewService, now: Date): Promise<MadeService> {
  await requireAccount(prisma, input.accountId);
  checkService(input);
  const { accountId, type, appName, sender, locale, digits = DEFAULT_DIGITS } = input;
  if (!isHook(type) && input.secret !== undefined) throw invalidField('secret', 'is of hooks alone');
  const secret = isHook(type) ? secretFor(type, input.secret) : null;
  const service = await prisma.signInService.create({
    data: {
      id: newId(),
      accountId,
      type,
      appName,
      sender,
      locale: locale ?? null,
      digits,
      whatsappFrom: input.whatsappFrom ?? null,
      templateId: input.template ?? null,
      templateLanguage: input.templateLanguage ?? null,
      ...(isHook(type) && kept(type, secret)),
      createdAt: now,
    },
  });
  return { service, secret: isHook(type) && secret !== null ? shownSecret(type, secret) : null };
}

/**
 * Gives a hook another secret; the one before counts no more.
 * @param given that its login system made; undefined: one is made
 * @throws {AppError} NOT_FOUND, INVALID_REQUEST, CONFLICT where there is none to set
 */
export async function changeSecret(
  prisma: Prisma.TransactionClient,
  id: string,
  given: string | undefined,
): Promise<MadeService> {
  const found = await lockedService(prisma, id);
  if (!found) throw new AppError('NOT_FOUND', `there is no service ${id}`);
  const { type } = found;
  if (!isHook(type))
    throw new AppError('CONFLICT', "Twilio's SDKs sign in by the key of an app: the service has no secret");
  const secret = secretFor(type, given);
  if (secret === null) throw invalidField('secret', `is made by the login system: copy it from ${type}`);
  const service = await prisma.signInService.update({ where: { id }, data: kept(type, secret) });
  return { service, secret: shownSecret(type, secret) };
}

function checkService(input: NewService): void {
  const { appName, sender, locale, digits = DEFAULT_DIGITS, whatsappFrom, template, templateLanguage } = input;
  const problems = [
    !(appName.length <= MAX_APP_NAME && new RegExp(APP_NAME, 'u').test(appName)) && {
      field: 'appName',
      rule: APP_NAME_RULE,
    },
    !isSenderId(sender) && { field: 'sender', rule: SENDER_ID_RULE },
    locale !== undefined &&
      !(locale.length <= MAX_LOCALE && new RegExp(LOCALE).test(locale)) && { field: 'locale', rule: LOCALE_RULE },
    !(Number.isInteger(digits) && digits >= MIN_DIGITS && digits <= MAX_DIGITS) && {
      field: 'digits',
      rule: `must be an integer from ${MIN_DIGITS} to ${MAX_DIGITS}`,
    },
    whatsappFrom !== undefined &&
      !/^\d{7,15}$/.test(whatsappFrom) && {
        field: 'whatsappFrom',
        rule: 'must be the number of a WhatsApp channel, digits only',
      },
    (whatsappFrom === undefined) !== (template === undefined) && {
      field: 'template',
      rule: 'must be set together with whatsappFrom',
    },
    templateLanguage !== undefined &&
      template === undefined && { field: 'templateLanguage', rule: 'must be set together with template' },
  ].filter((problem) => problem !== false);
  if (problems.length > 0) throw invalidFields(problems);
}

/** Those of an account, or of all, the oldest first. */
export function listServices(prisma: Tables, accountId?: string): Promise<SignInService[]> {
  return prisma.signInService.findMany({
    where: accountId === undefined ? {} : { accountId },
    orderBy: { id: 'asc' },
  });
}

/** Null where there is none with this id. */
export async function findService(prisma: Tables, id: string): Promise<SignInService | null> {
  return isUuid(id) ? prisma.signInService.findUnique({ where: { id } }) : null;
}

/** The same, locked until the transaction ends: somebody else may end it at the same time. */
export async function lockedService(prisma: Prisma.TransactionClient, id: string): Promise<SignInService | null> {
  if (isUuid(id)) await prisma.$queryRaw`SELECT 1 FROM sign_in_services WHERE id = ${id}::uuid FOR UPDATE`;
  return findService(prisma, id);
}

/** Removes one; codes that are on their way stay. @returns whose it was; null where there was none */
export async function removeService(
  prisma: Prisma.TransactionClient,
  id: string,
): Promise<{ accountId: string; before: object } | null> {
  const found = await lockedService(prisma, id);
  if (!found) return null;
  await prisma.signInService.delete({ where: { id } });
  const { accountId, type, appName } = found;
  return { accountId, before: { type, appName } };
}

/** The account that pays for what a service sends. @throws {AppError} FORBIDDEN while it is switched off */
export async function payerOf(
  prisma: Pick<PrismaClient, 'account'>,
  { accountId }: Pick<SignInService, 'accountId'>,
): Promise<KeyAccount> {
  const account = await prisma.account.findUniqueOrThrow({ where: { id: accountId }, select: KEY_ACCOUNT });
  const refusal = refusalOf(account);
  if (refusal) throw refusal;
  return account;
}

/**
 * A service that is to be changed, locked until the transaction ends.
 * @throws {AppError} NOT_FOUND, of another account's as well
 */
export async function ownService(
  prisma: Prisma.TransactionClient,
  accountId: string,
  id: string,
): Promise<SignInService> {
  const found = await lockedService(prisma, id);
  if (found?.accountId !== accountId) throw new AppError('NOT_FOUND', 'There is no such service in this account.');
  return found;
}
