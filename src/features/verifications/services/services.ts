import type pg from 'pg';
import { KEY_ACCOUNT_COLUMNS, type KeyAccount } from '../../../accounts/account-ref.js';
import { findAccountRefusal } from '../../../accounts/account-settings.js';
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
import {
  APP_NAME_PATTERN,
  APP_NAME_RULE,
  LOCALE_PATTERN,
  LOCALE_RULE,
  MAX_APP_NAME_LENGTH,
  MAX_LOCALE_LENGTH,
} from '../texts.js';
import { chooseSecret, formatSecret, isHook, toStoredSecret } from './hook-proofs.js';

type Tables = Pick<PrismaClient, 'account' | 'signInService'>;

export interface ServiceStore {
  prisma: PrismaClient;
  pool: pg.Pool;
}

export type Service = SignInService;

export interface NewService {
  accountId: string;
  type: SignInServiceType;
  appName: string;
  sender: string;
  locale?: string | undefined;
  digits?: number | undefined;
  /** Number of the WhatsApp channel that is tried first, which requires `template`. */
  whatsappFrom?: string | undefined;
  template?: string | undefined;
  templateLanguage?: string | undefined;
  /** Secret of a hook; by default a new secret, unless only the login system can create one. */
  secret?: string | undefined;
}

/** The secret of a hook cannot be read again later. */
export interface CreatedService {
  service: SignInService;
  secret: string | null;
}

/** @throws {AppError} INVALID_REQUEST naming every invalid field; NOT_FOUND for an unknown account */
export async function createService(prisma: Tables, input: NewService, now: Date): Promise<CreatedService> {
  await requireAccount(prisma, input.accountId);
  checkService(input);
  const { accountId, type, appName, sender, locale, digits = DEFAULT_DIGITS } = input;
  if (!isHook(type) && input.secret !== undefined) throw invalidField('secret', 'can only be set for hooks');
  const secret = isHook(type) ? chooseSecret(type, input.secret) : null;
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
      ...(isHook(type) && toStoredSecret(type, secret)),
      createdAt: now,
    },
  });
  return { service, secret: isHook(type) && secret !== null ? formatSecret(type, secret) : null };
}

/**
 * Replaces the secret with `input`, or with a generated secret if `input` is undefined.
 * @throws {AppError} CONFLICT if the service has no secret; NOT_FOUND; INVALID_REQUEST
 */
export async function changeSecret(
  prisma: Prisma.TransactionClient,
  id: string,
  input: string | undefined,
): Promise<CreatedService> {
  const service = await findAndLockService(prisma, id);
  if (!service) throw new AppError('NOT_FOUND', `there is no service ${id}`);
  const { type } = service;
  if (!isHook(type))
    throw new AppError('CONFLICT', "the service has no secret: Twilio's SDKs sign in with the API key of an app");
  const secret = chooseSecret(type, input);
  if (secret === null) throw invalidField('secret', `must be copied from ${type}, which creates it`);
  const updated = await prisma.signInService.update({ where: { id }, data: toStoredSecret(type, secret) });
  return { service: updated, secret: formatSecret(type, secret) };
}

function checkService(input: NewService): void {
  const { appName, sender, locale, digits = DEFAULT_DIGITS, whatsappFrom, template, templateLanguage } = input;
  const problems = [
    !(appName.length <= MAX_APP_NAME_LENGTH && new RegExp(APP_NAME_PATTERN, 'u').test(appName)) && {
      field: 'appName',
      rule: APP_NAME_RULE,
    },
    !isSenderId(sender) && { field: 'sender', rule: SENDER_ID_RULE },
    locale !== undefined &&
      !(locale.length <= MAX_LOCALE_LENGTH && new RegExp(LOCALE_PATTERN).test(locale)) && {
        field: 'locale',
        rule: LOCALE_RULE,
      },
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

/** Oldest first. */
export function listServices(prisma: Tables, accountId?: string): Promise<SignInService[]> {
  return prisma.signInService.findMany({
    where: accountId === undefined ? {} : { accountId },
    orderBy: { id: 'asc' },
  });
}

export async function findService(prisma: Tables, id: string): Promise<SignInService | null> {
  return isUuid(id) ? prisma.signInService.findUnique({ where: { id } }) : null;
}

export async function findAndLockService(prisma: Prisma.TransactionClient, id: string): Promise<SignInService | null> {
  if (isUuid(id)) await prisma.$queryRaw`SELECT 1 FROM sign_in_services WHERE id = ${id}::uuid FOR UPDATE`;
  return findService(prisma, id);
}

/** Codes that were accepted before the removal are still sent. */
export async function removeService(
  prisma: Prisma.TransactionClient,
  id: string,
): Promise<{ accountId: string; before: object } | null> {
  const service = await findAndLockService(prisma, id);
  if (!service) return null;
  await prisma.signInService.delete({ where: { id } });
  const { accountId, type, appName } = service;
  return { accountId, before: { type, appName } };
}

/** @throws {AppError} FORBIDDEN while the account is deactivated */
export async function findPayer(
  prisma: Pick<PrismaClient, 'account'>,
  { accountId }: Pick<SignInService, 'accountId'>,
): Promise<KeyAccount> {
  const account = await prisma.account.findUniqueOrThrow({ where: { id: accountId }, select: KEY_ACCOUNT_COLUMNS });
  const refusal = findAccountRefusal(account);
  if (refusal) throw refusal;
  return account;
}

/** @throws {AppError} NOT_FOUND, also if the service belongs to another account */
export async function findAndLockOwnService(
  prisma: Prisma.TransactionClient,
  accountId: string,
  id: string,
): Promise<SignInService> {
  const service = await findAndLockService(prisma, id);
  if (service?.accountId !== accountId) throw new AppError('NOT_FOUND', 'There is no such service in this account.');
  return service;
}
