import { describeStatus } from '../../../messages/status/status-words.js';

/** Meta's codes for what ends a message here without a code of Meta's. */
const CODES: Readonly<Record<string, [code: number, title: string]>> = {
  OPTED_OUT: [131050, 'The recipient wants no more messages'],
};
const UNDELIVERABLE: [code: number, title: string] = [131026, 'The message cannot be delivered'];

/** Why a message failed, as a status in Meta's shape tells it: Meta's own code, where its carrier is Meta's. */
export function errorOfStatus({
  status,
  errorCode,
  errorMessage,
}: {
  status: string;
  errorCode: string | null;
  errorMessage: string | null;
}) {
  const details = errorMessage ?? describeStatus(status);
  const isMetas = errorCode !== null && /^\d{1,9}$/.test(errorCode);
  const [code, title] = isMetas ? [Number(errorCode), details] : (CODES[errorCode ?? ''] ?? UNDELIVERABLE);
  return { code, title, message: title, error_data: { details } };
}
