import smpp from 'smpp';

/** Values of command_status that this carrier itself answers with or decides on (SMPP 3.4 §5.1.3). */
export const STATUS = {
  ok: 0x00,
  invalidCommandId: 0x03,
  incorrectBindStatus: 0x04,
  alreadyBound: 0x05,
  systemError: 0x08,
  bindFailed: 0x0d,
  invalidPassword: 0x0e,
  invalidSystemId: 0x0f,
  messageQueueFull: 0x14,
  invalidSystemType: 0x53,
  throttled: 0x58,
  temporaryApplicationError: 0x64,
  permanentApplicationError: 0x65,
} as const;

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(smpp.errors).map(([name, value]) => [value, name]));

/** Name of a status, e.g. `ESME_RTHROTTLED`; `0x00000411` for one that only the SMSC knows. */
export function statusName(status: number): string {
  return NAMES.get(status) ?? `0x${status.toString(16).padStart(8, '0')}`;
}

/** The SMSC is overloaded, or takes more than was agreed: less has to be sent to it. */
export function asksToSlowDown(status: number): boolean {
  return status === STATUS.throttled || status === STATUS.messageQueueFull || status === STATUS.systemError;
}

/**
 * Whether the same submit may be taken later. All other refusals are of the message itself.
 * @param further values that the operator added, as SMSCs have statuses of their own (0x400–0x4FF)
 */
export function mayBeTakenLater(status: number, further: readonly number[]): boolean {
  return (
    asksToSlowDown(status) ||
    status === STATUS.incorrectBindStatus ||
    status === STATUS.temporaryApplicationError ||
    further.includes(status)
  );
}
