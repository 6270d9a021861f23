import { AppError } from '../../platform/errors/app-error.js';
import { MetaError, ofMessage, renameFields } from './errors.js';
import type { MetaCode } from './meta-codes.js';

/** Where a request of Meta's has what a send of a template is made of. */
const NAMES = {
  templateName: 'template.name',
  language: 'template.language.code',
  components: 'template.components',
  userId: 'recipient',
};

/** The error of a send of a template, with Meta's code for it; others as they are. */
export function templateError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'NOT_FOUND') {
    // With a field it is a file, which the header names.
    return error.fields.length > 0 ? ofMessage(error, NAMES) : new MetaError(132001, error, error);
  }
  if (error.code !== 'INVALID_REQUEST' || error.fields.length === 0) return error;
  const renamed = renameFields(error, NAMES);
  const code = codeOf(error);
  return code === null ? ofMessage(renamed) : new MetaError(code, renamed, error);
}

function codeOf({ fields, message }: AppError): MetaCode | null {
  const [first] = fields;
  if (first?.field === 'templateName' && message.includes('whose status is')) {
    const status = /whose status is (\w+)/.exec(message)?.[1];
    return status === 'PAUSED' ? 132015 : status === 'DISABLED' ? 132016 : 132001;
  }
  if (first?.field === 'userId' && message.includes('codes')) return 131062;
  const ofComponents = fields.filter(({ field }) => field.startsWith('components'));
  if (ofComponents.length === 0) return null;
  return ofComponents.some(({ rule }) => /^(has no|is surplus)/.test(rule)) ? 132000 : 132012;
}
