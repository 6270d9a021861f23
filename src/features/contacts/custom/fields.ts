import { AppError, type FieldProblem } from '../../../platform/errors/app-error.js';
import { invalidFields, isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { type Connection, withTransaction } from '../../../platform/store/with-transaction.js';
import {
  insertField,
  lockAndCountFields,
  lockField,
  markFieldDeleted,
  type StoredField,
  updateFieldRow,
} from './field-store.js';
import { FIELD_KEY, FIELD_KEY_RULE, type FieldDefinition } from './field-values.js';

/** Maximum fields of an account. */
export const MAX_FIELDS = 100;
export const MAX_LABEL_LENGTH = 100;
export const MAX_CHOICES = 100;
export const MAX_CHOICE_LENGTH = 100;

export const LABEL_RULE = `must be a text of 1 to ${MAX_LABEL_LENGTH} characters without control characters`;
export const CHOICES_RULE = `must be a list of 1 to ${MAX_CHOICES} different texts of 1 to ${MAX_CHOICE_LENGTH} characters`;

/** In the order in which they were defined. */
export async function listFields(
  { prisma }: { prisma: Pick<PrismaClient, 'contactField'> },
  accountId: string,
): Promise<StoredField[]> {
  return await prisma.contactField.findMany({
    where: { accountId, deletedAt: null },
    orderBy: { id: 'asc' },
    omit: { accountId: true, deletedAt: true },
  });
}

export interface NewField extends Omit<FieldDefinition, 'choices'> {
  /** Only for a choice. */
  choices?: readonly string[];
}

/**
 * @throws {AppError} INVALID_REQUEST for invalid fields, or CONFLICT if the key is in use or the account has too many
 * fields
 */
export async function createField(
  { pool }: { pool: Connection },
  accountId: string,
  { key, label, type, choices = [] }: NewField,
  now: Date,
): Promise<StoredField> {
  const field = { key, label: label.trim(), type, choices: choices.map((choice) => choice.trim()) };
  throwIfAny([
    ...(FIELD_KEY.test(key) ? [] : [{ field: 'key', rule: FIELD_KEY_RULE }]),
    ...checkLabel(field.label),
    ...checkChoices(field),
  ]);
  return await withTransaction(pool, async (client) => {
    if ((await lockAndCountFields(client, accountId)) >= MAX_FIELDS) {
      throw new AppError('CONFLICT', `An account can have at most ${MAX_FIELDS} contact fields.`);
    }
    const created = await insertField(client, { id: newId(), accountId, ...field, at: now });
    if (!created) {
      throw new AppError(
        'CONFLICT',
        'The account already has a contact field with this key, or is still deleting one.',
      );
    }
    return created;
  });
}

/**
 * The key and the type never change. Contacts keep values that are no longer among the choices.
 * @throws {AppError} INVALID_REQUEST for invalid fields
 */
export async function updateField(
  { pool }: { pool: Connection },
  accountId: string,
  key: string,
  change: { label?: string; choices?: readonly string[]; at: Date },
): Promise<StoredField | null> {
  return await withTransaction(pool, async (client) => {
    const before = await lockField(client, accountId, key);
    if (!before) return null;
    const label = change.label?.trim() ?? before.label;
    const choices = change.choices?.map((choice) => choice.trim()) ?? before.choices;
    throwIfAny([...checkLabel(label), ...checkChoices({ type: before.type, choices })]);
    return await updateFieldRow(client, { id: before.id, label, choices }, change.at);
  });
}

/**
 * The key can be used again when maintenance has deleted the values of all contacts.
 * @returns whether the account had the field
 */
export async function deleteField(
  { pool }: { pool: Connection },
  accountId: string,
  key: string,
  now: Date,
): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    const field = await lockField(client, accountId, key);
    if (!field) return false;
    await markFieldDeleted(client, field.id, now);
    return true;
  });
}

function checkLabel(label: string): FieldProblem[] {
  const isValid = !isBlank(label) && !/\p{Cc}/u.test(label) && !isLongerThan(label, MAX_LABEL_LENGTH);
  return isValid ? [] : [{ field: 'label', rule: LABEL_RULE }];
}

function checkChoices({ type, choices }: Pick<FieldDefinition, 'type' | 'choices'>): FieldProblem[] {
  if (type !== 'choice') return choices.length === 0 ? [] : [{ field: 'choices', rule: 'is only for the type choice' }];
  const isValid =
    choices.length > 0 &&
    choices.length <= MAX_CHOICES &&
    new Set(choices.map((choice) => choice.toLowerCase())).size === choices.length &&
    choices.every((each) => !isBlank(each) && !/\p{Cc}/u.test(each) && !isLongerThan(each, MAX_CHOICE_LENGTH));
  return isValid ? [] : [{ field: 'choices', rule: CHOICES_RULE }];
}

function throwIfAny(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidFields(problems);
}
