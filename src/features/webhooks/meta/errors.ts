import { describeStatus } from '../../../messages/status/status-words.js';

const CODES: Readonly<Record<string, [code: number, title: string]>> = {
  OPTED_OUT: [131050, 'The recipient wants no more messages'],
};
const UNDELIVERABLE: [code: number, title: string] = [131026, 'The message cannot be delivered'];

export function toMetaError({
  status,
  errorCode,
  errorMessage,
}: {
  status: string;
  errorCode: string | null;
  errorMessage: string | null;
}) {
  const details = errorMessage ?? describeStatus(status);
  const isMetaCode = errorCode !== null && /^\d{1,9}$/.test(errorCode);
  const [code, title] = isMetaCode ? [Number(errorCode), details] : (CODES[errorCode ?? ''] ?? UNDELIVERABLE);
  return { code, title, message: title, error_data: { details } };
}
