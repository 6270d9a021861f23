import { AppError } from '../../platform/errors/app-error.js';
import { MetaError, renameFields, toMessageError } from './errors.js';
import type { MetaCode } from './meta-codes.js';

const FIELD_NAMES = {
  templateName: 'template.name',
  language: 'template.language.code',
  components: 'template.components',
  userId: 'recipient',
};

export function toTemplateError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'NOT_FOUND') {
    // With a field, the missing object is the file of a header.
    return error.fields.length > 0 ? toMessageError(error, FIELD_NAMES) : new MetaError(132001, error, error);
  }
  if (error.code !== 'INVALID_REQUEST' || error.fields.length === 0) return error;
  const renamed = renameFields(error, FIELD_NAMES);
  const code = findCode(error);
  return code === null ? toMessageError(renamed) : new MetaError(code, renamed, error);
}

function findCode({ fields, message }: AppError): MetaCode | null {
  const [first] = fields;
  const [, status] = /with the status (\w+)/.exec(message) ?? [];
  if (first?.field === 'templateName' && status !== undefined) {
    return status === 'PAUSED' ? 132015 : status === 'DISABLED' ? 132016 : 132001;
  }
  if (first?.field === 'userId' && message.includes('codes')) return 131062;
  const componentProblems = fields.filter(({ field }) => field.startsWith('components'));
  if (componentProblems.length === 0) return null;
  return componentProblems.some(({ rule }) => /^(has no|is surplus)/.test(rule)) ? 132000 : 132012;
}
