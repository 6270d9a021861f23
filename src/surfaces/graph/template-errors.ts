import { AppError, type ProblemKind } from '../../platform/errors/app-error.js';
import { MetaError, renameFields, toMessageError } from './errors.js';
import type { MetaCode } from './meta-codes.js';

const FIELD_NAMES = {
  templateName: 'template.name',
  language: 'template.language.code',
  components: 'template.components',
  userId: 'recipient',
};

const KIND_CODES: Readonly<Partial<Record<ProblemKind, MetaCode>>> = {
  'template-paused': 132015,
  'template-disabled': 132016,
  'template-not-approved': 132001,
  'no-phone-number': 131062,
};

export function toTemplateError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'NOT_FOUND') {
    // If the error names a field, the missing object is the file of a template header.
    return error.fields.length > 0 ? toMessageError(error, FIELD_NAMES) : new MetaError(132001, error, error);
  }
  if (error.code !== 'INVALID_REQUEST' || error.fields.length === 0) return error;
  const renamed = renameFields(error, FIELD_NAMES);
  const code = findCode(error);
  return code === null ? toMessageError(renamed) : new MetaError(code, renamed, error);
}

function findCode({ fields }: AppError): MetaCode | null {
  const [first] = fields;
  const code = first?.kind && KIND_CODES[first.kind];
  if (code) return code;
  const componentProblems = fields.filter(({ field }) => field.startsWith('components'));
  if (componentProblems.length === 0) return null;
  return componentProblems.some(({ kind }) => kind === 'missing-parameter' || kind === 'surplus-parameter')
    ? 132000
    : 132012;
}
